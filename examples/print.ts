import { datasets } from './datasets.ts';

const name = process.argv[2];
const dataset = datasets.find((each) => each.name === name);
if (!dataset) {
  console.error(`usage: node examples/print.ts ${datasets.map((each) => each.name).join('|')}`);
  process.exit(1);
}
/** The records, one JSON object a line. */
for (const record of dataset.read()) process.stdout.write(`${JSON.stringify(record)}\n`);
