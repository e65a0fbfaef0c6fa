import { fullFormats } from 'ajv-formats/dist/formats.js';

/** Formats that a schema can be inferred with, the narrower first. */
export const knownFormats = ['date-time', 'date', 'email', 'uuid', 'uri'] as const;
export type Format = (typeof knownFormats)[number];

/** Whether the API would take the text for this format. */
export function hasFormat(name: Format, text: string): boolean {
  const definition = fullFormats[name];
  if (definition instanceof RegExp) return definition.test(text);
  const check = typeof definition === 'object' && 'validate' in definition ? definition.validate : definition;
  return (check as (text: string) => boolean)(text);
}
