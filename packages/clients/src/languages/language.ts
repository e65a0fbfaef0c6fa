import type { Model } from '../schema/model.ts';
import type { Habits, Naming } from '../write/naming.ts';

export interface Language {
  /** As people write it. */
  name: string;
  file: string;
  /** Its uploader, below `uploaders/`. */
  source: string;
  /** How to install what the file needs. */
  how: string;
  /** What begins a comment that ends with its line. */
  comment: string;
  /** Lines of code that send an entry. */
  usage: string[];
  habits: Habits;
  types(model: Model, naming: Naming): string[];
  constants(domain: string, version: number): string[];
  /** What stands around the types in a file of their own. */
  typesOnly: { file: string; before(types: string[]): string[]; after: string[]; usage: string[] };
}
