// Makes ../static of src. Usage: node build.mjs [FOLDER]
import { copyFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] || join(here, '../static');

await build({
  absWorkingDir: here,
  entryPoints: { app: 'src/main.tsx' },
  outdir: out,
  bundle: true,
  minify: true,
  format: 'esm',
  target: ['es2022', 'chrome120', 'firefox121', 'safari17'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  charset: 'utf8',
  legalComments: 'eof',
  logLevel: 'warning',
});
await build({
  absWorkingDir: here,
  entryPoints: { app: 'src/app.css' },
  outdir: out,
  minify: true,
  target: ['chrome120', 'firefox121', 'safari17'],
  logLevel: 'warning',
});
// What the bundle holds of others is theirs.
await copyFile(join(here, 'node_modules/preact/LICENSE'), join(out, 'preact.LICENSE'));
for (const name of ['index.html', 'icon.svg']) await copyFile(join(here, 'src', name), join(out, name));
