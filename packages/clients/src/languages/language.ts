import type { Model, RecordType } from '../schema/model.ts';
import type { Habits, Naming } from '../write/naming.ts';
import type { SampleEntry } from '../write/sample.ts';
import type { Template } from '../write/template.ts';

/** What a program of the head sends, and where to. `literalOf` writes the sample in code. */
export interface Sending {
  entry: RecordType;
  sample: SampleEntry;
  naming: Naming;
  baseUrl: string;
  /** Of Java: the package of the file. */
  inPackage: string | undefined;
}

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
  /** The program of the head: it sends an entry, with a spool, as it stands. */
  program: {
    file: string;
    /** The command that runs it. */
    run: string;
    lines(sending: Sending): string[];
  };
  habits: Habits;
  /** Adds to the template what only files for some systems have. */
  complete?(template: Template, wanted: { os?: 'windows' | undefined }): Template;
  types(model: Model, naming: Naming): string[];
  constants(domain: string, version: number): string[];
  /** What stands around the types in a file of their own. */
  typesOnly: { file: string; before(types: string[]): string[]; after: string[]; usage: string[] };
}
