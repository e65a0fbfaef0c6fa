// Loaded by `node --require` before any TypeScript, so that an old Node shows a clear message, not a syntax error.
const major = Number.parseInt(process.versions.node, 10);
if (major < 24) {
  console.error(
    `error: Sluice needs Node 24 or newer, this is ${process.versions.node} (${process.execPath})`,
  );
  process.exit(1);
}
