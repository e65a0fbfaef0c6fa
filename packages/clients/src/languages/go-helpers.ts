/** Optional fields are pointers, and a value has no address. */
export const pointerHelper = [
  '// Ptr returns a pointer to a value, for a field that may be absent or null.',
  'func Ptr[T any](value T) *T {',
  '\treturn &value',
  '}',
  '',
];

export const dateTimeHelper = [
  '// DateTime is a time as RFC 3339 writes it. What was read is written to the letter.',
  'type DateTime string',
  '',
  '// NewDateTime writes a time.',
  'func NewDateTime(at time.Time) DateTime {',
  '\treturn DateTime(at.Format(time.RFC3339Nano))',
  '}',
  '',
  '// Time reads the time.',
  'func (text DateTime) Time() (time.Time, error) {',
  '\treturn time.Parse(time.RFC3339Nano, string(text))',
  '}',
  '',
];
