import fc from 'fast-check';

const marks = [...'=+-@\t\r\n \'",;:[]{}\\/~.', '\u00a0', '\u3000', '\ufeff', '\0'];
const unit = fc.oneof(fc.constantFrom(...marks), fc.constantFrom('a', 'e', '0', '1', 'é', '😀'));
const telling = [
  '',
  'true',
  'True',
  'false',
  'null',
  '-1',
  '1e5',
  '01',
  '1.',
  '=1',
  "'=1",
  "''@",
  '[1]',
  '{}',
  '[1,2]',
];

/** Text that CSV, JSON or a spreadsheet could take for something else. */
export const text = fc.oneof(fc.string({ unit }), fc.constantFrom(...telling), fc.double().map(String));

export const number = fc.oneof(
  fc.integer(),
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
  fc.constantFrom(0, 1e15, 1e21, 1e-7, 5e-324, 0.1 + 0.2),
);
