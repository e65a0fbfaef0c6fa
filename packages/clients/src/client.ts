import { go } from './languages/go.ts';
import { java } from './languages/java.ts';
import type { Language } from './languages/language.ts';
import { python } from './languages/python.ts';
import { rust } from './languages/rust.ts';
import { typescript } from './languages/typescript.ts';
import type { Model } from './schema/model.ts';
import { readSchema } from './schema/read-schema.ts';
import { headOf, indented } from './write/head.ts';
import { type Naming, nameAll } from './write/naming.ts';
import { sampleOf } from './write/sample.ts';
import { templateOf } from './write/template.ts';

const all = { typescript, python, go, java, rust };

export type LanguageName = keyof typeof all;

export const languages = Object.keys(all) as LanguageName[];

export const isLanguage = (name: string): name is LanguageName => Object.hasOwn(all, name);

/** What people read about a language. `types` is the file of its types alone. */
export const about = (language: LanguageName) => {
  const { name, file, how, typesOnly } = all[language];
  return { language, name, file, how, types: typesOnly.file };
};

export interface Wanted<Name = LanguageName> {
  language: Name;
  domain: string;
  /** The text of a schema that `checkSchema` accepted. */
  rawSchema: string;
  version: number;
  /** Of Java: the package of the file. */
  package?: string | undefined;
  /** Of Go: the only system that the file is for. */
  os?: 'windows' | undefined;
}

/** The source file of an application's client: the types of its schema and an uploader. The same schema makes the same text. */
export function makeClient(wanted: Wanted): string {
  const language = all[wanted.language];
  const plain = templateOf(language);
  const template = language.complete?.(plain, wanted) ?? plain;
  const { model, naming, types, head } = typesOf(language, wanted, template.identifiers, language.how);
  const constants = language.constants(wanted.domain, wanted.version);
  const usage = usageOf(language, model, naming, wanted.package);
  const { before, after } = template;
  const place = [...packageOf(wanted), ...(before === '' ? [] : [before, ''])];
  const parts = [...head(usage), '', ...place, ...types, ...constants, after];
  return parts.join('\n');
}

export function makeTypes(wanted: Wanted): string {
  const language = all[wanted.language];
  const { before, after, usage } = language.typesOnly;
  const { types, head } = typesOf(language, wanted, []);
  const end = types.at(-1) === '' ? types.slice(0, -1) : types;
  const place = [...packageOf(wanted), ...before(types)];
  return [...head(['Use:', ...indented(usage)]), '', ...place, ...end, ...after, '']
    .join('\n')
    .replace(/\n+$/, '\n');
}

function usageOf({ program }: Language, { entry }: Model, naming: Naming, inPackage?: string): string[] {
  const baseUrl = 'http://127.0.0.1:4000';
  const lines = program.lines({ entry, sample: sampleOf(entry), naming, baseUrl, inPackage });
  return [`Use, as ${program.file}:`, ...indented(lines), `Run: ${program.run}`];
}

const packageOf = ({ package: name }: Wanted) => (name ? [`package ${name};`, ''] : []);

function typesOf(language: Language, wanted: Wanted, identifiers: Iterable<string>, how?: string) {
  const model = readSchema(wanted.rawSchema);
  const naming = nameAll(model, language.habits, identifiers);
  return {
    model,
    naming,
    types: language.types(model, naming),
    head: (usage: string[]) => headOf(language, { ...wanted, how, usage, notes: model.notes }),
  };
}
