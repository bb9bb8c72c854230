// An agent's loop: look, decide, act, read what changed, answer dialogs, act on the reason of an error.
// It fills in a form of its own on loopback, so the service must allow that:  perception serve --allow-host 127.0.0.1
// Usage: node agent_loop.js ADDRESS
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect, type Page, PerceptionError } from 'perception-client';
import type { ActionResult, Snapshot } from 'perception-client/v1';

const SITE = `<!doctype html><title>Newsletter</title><h1>Newsletter</h1>
<form onsubmit="event.preventDefault(); if (confirm('Subscribe ' + email.value + '?')) out.textContent = 'Thank you'">
  <label>Email <input id=email></label> <button>Subscribe</button></form><p id=out></p>
<div id=cookies role=dialog aria-label=Cookies style="position:fixed; inset:0; background:#fff">
  <button onclick="cookies.remove()">Accept</button></div>`;

type Step = { click: string } | { type: string; into: string };

/** Stands for the language model: the next step from what is on the page and what came of the last step; null at the end. */
function decide(seen: Snapshot, refused: PerceptionError | undefined): Step | null {
  const ref = (role: string, name: string) =>
    seen.elements.find((each) => each.role === role && each.name === name)?.ref;
  if (seen.text.includes('Thank you')) return null;
  if (refused?.reason === 'ELEMENT_OBSCURED') return { click: ref('button', 'Accept')! };
  const field = seen.elements.find((each) => each.role === 'textbox');
  if (field && !field.value) return { type: 'ana@northwind.example', into: field.ref };
  return { click: ref('button', 'Subscribe')! };
}

async function act(page: Page, step: Step): Promise<ActionResult> {
  return 'click' in step ? page.click(step.click) : page.type(step.into, step.type, { clear: true });
}

async function loop(page: Page): Promise<void> {
  let seen = await page.snapshot({ mode: 'text', scope: 'page' });
  console.log(seen.text);
  let refused: PerceptionError | undefined;
  for (let count = 0; count < 10; count++) {
    const step = decide(seen, refused);
    if (!step) return console.log('done');
    console.log('step:', JSON.stringify(step));
    refused = undefined;
    try {
      const { dialogs } = await act(page, step);
      for (const { message, dialogId } of dialogs) {
        console.log('dialog:', message);
        await page.handleDialog({ dialogId, accept: true });
      }
    } catch (error) {
      if (!(error instanceof PerceptionError)) throw error;
      refused = error;
      console.log(`refused: ${error.reason}, ref ${error.ref}, covered by ${error.metadata.covered_by}`);
      if (error.retryAfterMs !== undefined) await new Promise((wake) => setTimeout(wake, error.retryAfterMs));
    }
    const now = await page.snapshot({ mode: 'text', scope: 'page', since: seen });
    console.log(now.diff?.text);
    seen = now;
  }
}

async function main(address: string): Promise<void> {
  const site = createServer((_, response) => response.setHeader('content-type', 'text/html').end(SITE));
  await new Promise<void>((listening) => site.listen(0, '127.0.0.1', listening));
  const client = await connect(address);
  const page = await client.open(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
  try {
    await loop(page);
  } finally {
    await page.close();
    client.close();
    site.close();
  }
}

await main(process.argv[2] ?? '127.0.0.1:50051');
