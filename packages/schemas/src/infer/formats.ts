import { textFormats } from '../formats/text-formats.ts';

/** Formats that a schema can be inferred with, the narrower first. */
export const knownFormats = ['date-time', 'date', 'email', 'uuid', 'uri'] as const;
export type TextFormat = (typeof knownFormats)[number];

/** Whether the API would take the text for this format. */
export const hasFormat = (name: TextFormat, text: string): boolean => textFormats[name](text);
