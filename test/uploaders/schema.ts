/** Of the entries that all programs send. */
export const schema = {
  type: 'object',
  properties: { n: { type: 'integer', minimum: 0 }, text: { type: 'string' }, more: {} },
  required: ['n', 'text'],
  additionalProperties: false,
};
