/** Of the entries that all programs send. */
export const schema = {
  type: 'object',
  properties: {
    n: { type: 'integer', minimum: 0 },
    text: { type: 'string' },
    more: {},
    ratio: { type: 'number' },
  },
  required: ['n', 'text'],
  additionalProperties: false,
};
