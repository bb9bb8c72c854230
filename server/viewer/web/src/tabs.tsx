/** A list of tabs by the keyboard pattern of WAI-ARIA: arrows move, and what is moved to is shown. */

export interface TabsProps<V extends string> {
  views: Record<V, string>;
  view: V;
  setView: (view: V) => void;
}

export function Tabs<V extends string>({ views, view, setView }: TabsProps<V>) {
  const names = Object.keys(views) as V[];
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const next = names[(names.indexOf(view) + step + names.length) % names.length]!;
    setView(next);
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label="Details" onKeyDown={move}>
      {names.map((each) => (
        <button
          key={each}
          role="tab"
          id={`tab-${each}`}
          aria-selected={each === view}
          aria-controls={each === view ? `panel-${each}` : undefined}
          tabIndex={each === view ? 0 : -1}
          onClick={() => setView(each)}
        >
          {views[each]}
        </button>
      ))}
    </div>
  );
}
