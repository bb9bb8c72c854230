// Looks at a page, clicks its first button, reads an error, and cancels a watch.
// Usage: node look_and_click.js ADDRESS URL      for example: … 127.0.0.1:50051 https://example.com
// The token, if the service requires one, is read from PERCEPTION_TOKEN.
import { connect, type Page, PerceptionError } from 'perception-client';

async function lookAndClick(page: Page, url: string): Promise<void> {
  await page.navigate(url);
  const snapshot = await page.snapshot();
  console.log(snapshot.text.trimEnd());

  const button = snapshot.elements.find((element) => element.role === 'button' && element.reachable);
  if (button) {
    await page.click(button);
    console.log(`clicked ${button.ref}, the button "${button.name}"`);
  }

  try {
    await page.click('e999999');
  } catch (error) {
    if (!(error instanceof PerceptionError)) throw error;
    const said = `${error.codeName}, ${error.reason} ${JSON.stringify(error.metadata)}: ${error.message}`;
    console.log(`a click on e999999 is refused: ${said}`);
  }

  for await (const { snapshotId } of page.watch({ mode: 'text' })) {
    console.log(`watching: ${snapshotId} came first`);
    break; // cancels it on the service, too
  }
  console.log('the watch is cancelled');
}

async function main(address: string, url: string): Promise<void> {
  const { PERCEPTION_TOKEN: token } = process.env;
  const client = await connect(address, token ? { token } : {});
  const page = await client.open();
  try {
    await lookAndClick(page, url);
  } finally {
    await page.close();
    client.close();
  }
}

const [address, url] = process.argv.slice(2);
if (!address || !url) {
  console.error('usage: node look_and_click.js ADDRESS URL');
  process.exit(2);
}
await main(address, url);
