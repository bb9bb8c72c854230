// Builds the package: types from the descriptor set of the repository, then JavaScript, and copies of protos and licence.
// npm runs it before it packs the package, and where it installs the folder itself.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('..', import.meta.url));
const repository = join(here, '../..');
const bin = (name) => join(here, 'node_modules/.bin', name);
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';

if (!existsSync(bin('protoc-gen-es')) || !existsSync(bin('tsc'))) {
  execFileSync(npm, ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: here, stdio: 'inherit' });
}

for (const made of ['dist', 'proto', 'src/generated']) rmSync(join(here, made), { recursive: true, force: true });
await generate();
execFileSync(process.execPath, [join(here, 'node_modules/typescript/bin/tsc'), '-p', here], { stdio: 'inherit' });
cpSync(join(repository, 'proto/perception'), join(here, 'proto/perception'), { recursive: true });
cpSync(join(repository, 'LICENSE'), join(here, 'LICENSE'));

/** Runs the generator over the descriptor set that `make stubs` keeps; no protoc is needed. */
async function generate() {
  const { create, fromBinary, toBinary } = await import('@bufbuild/protobuf');
  const { CodeGeneratorRequestSchema, CodeGeneratorResponseSchema, FileDescriptorSetSchema } =
    await import('@bufbuild/protobuf/wkt');
  const { file } = fromBinary(FileDescriptorSetSchema, readFileSync(join(repository, 'proto/perception.v1.binpb')));
  const request = create(CodeGeneratorRequestSchema, {
    fileToGenerate: file.map((each) => each.name).filter((name) => name.startsWith('perception/')),
    parameter: 'target=ts,import_extension=js',
    protoFile: file,
  });
  const input = toBinary(CodeGeneratorRequestSchema, request);
  const made = fromBinary(
    CodeGeneratorResponseSchema,
    execFileSync(process.execPath, [join(here, 'node_modules/@bufbuild/protoc-gen-es/bin/protoc-gen-es')], { input }),
  );
  if (made.error) throw new Error(made.error);
  for (const each of made.file) {
    const path = join(here, 'src/generated', each.name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, each.content);
  }
}
