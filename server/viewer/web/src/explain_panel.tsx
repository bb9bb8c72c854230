/** Why something on the page is listed, or is not. */

import { useState } from 'preact/hooks';
import type { Explanation } from './types.ts';

export interface ExplainPanelProps {
  asking: boolean;
  setAsking: (asking: boolean) => void;
  explanation: Explanation | null;
  failure: string;
  ask: (text: string) => void;
}

export function ExplainPanel({ asking, setAsking, explanation, failure, ask }: ExplainPanelProps) {
  const [text, setText] = useState('');
  return (
    <>
      <p>Ask about anything that you see: what became of it at each stage of a look, and why.</p>
      <p class="row">
        <button class={asking ? '' : 'primary'} aria-pressed={asking} onClick={() => setAsking(!asking)}>
          {asking ? 'Cancel' : 'Pick a point of the picture'}
        </button>
      </p>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim()) ask(text.trim());
        }}
      >
        <label class="hidden" for="explain-text">
          Text or name on the page
        </label>
        <input
          id="explain-text"
          placeholder="or a text or name on the page"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <button>Ask</button>
      </form>
      {failure && (
        <p class="error" role="alert">
          {failure}
        </p>
      )}
      {explanation && (
        <div class="explanation" role="status">
          <p>
            <strong class={explanation.listed ? 'listed' : 'unlisted'}>{sentence(explanation.summary)}</strong>
          </p>
          <ol class="stages-list">
            {explanation.stages.map((each) => (
              <li key={each.stage} class={each.outcome}>
                <span class="stage-name">{each.stage}</span> <span class="small muted">{each.outcome}</span>
                {each.reason && <p class="small">{each.reason}</p>}
                {each.facts.length > 0 && (
                  <p class="small muted facts">
                    {each.facts.map((fact) => (
                      <span key={fact.name}>
                        {fact.name} {fact.value}
                      </span>
                    ))}
                  </p>
                )}
              </li>
            ))}
          </ol>
        </div>
      )}
    </>
  );
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
