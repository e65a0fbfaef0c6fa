import type { RefusedUpload } from '@sluice/intake/refused/refused-upload.ts';
import { expect, it } from 'vitest';
import { createRefusedLines } from './refused-lines.ts';

const line = (n: number): RefusedUpload => ({
  source: 'import',
  line: n,
  payload: Buffer.from('{}'),
  refusal: {
    name: 'SchemaValidationError',
    message: 'no',
    details: [{ path: `/${n % 7}`, keyword: 'type', message: 'must be number' }],
  },
});

it('lines of an import are counted exactly, however many there are, and the first are kept', () => {
  const lines = createRefusedLines();
  for (let n = 1; n <= 2_000; n++) lines.add(line(n));
  lines.add({ ...line(2_001), refusal: { name: 'MalformedBodyError', message: 'no JSON' } });
  const kept: (number | undefined)[] = [];
  let counted = 0;
  const recorder = {
    note: (_application: object, { line }: RefusedUpload) => void kept.push(line),
    count(_application: object, _reason: object, times: number) {
      counted += times;
    },
  };
  lines.noteTo(recorder, {} as never);
  expect(kept).toEqual(Array.from({ length: 500 }, (_, n) => n + 1));
  expect(counted).toBe(1_500);
});
