import { about, isLanguage, makeClient, makeTypes, type Wanted } from './client.ts';
import { type FurtherLanguage, furtherLanguages, makeFurtherTypes } from './further-types.ts';
import { isPackage } from './languages/java-names.ts';

export interface WantedFile extends Wanted<string> {
  typesOnly: boolean;
}

/** The text of a file. `fileOf` must know the language. */
export async function make({ language, typesOnly, ...wanted }: WantedFile): Promise<string> {
  if (!isLanguage(language)) return makeFurtherTypes({ ...wanted, language: language as FurtherLanguage });
  return (typesOnly ? makeTypes : makeClient)({ ...wanted, language });
}

/** The name of a file; undefined if there is none in this language. */
export function fileOf(language: string, typesOnly: boolean, os?: Wanted['os']): string | undefined {
  if (isLanguage(language)) {
    const { types, file } = about(language);
    if (typesOnly) return types;
    return os ? file.replace('.', `_${os}.`) : file;
  }
  const isKnown = typesOnly && Object.hasOwn(furtherLanguages, language);
  return isKnown ? furtherLanguages[language as FurtherLanguage].types : undefined;
}

/** Why an option does not suit a language; undefined if it does. */
export function optionProblem(
  language: string,
  { package: name, os }: Pick<Wanted, 'package' | 'os'>,
): string | undefined {
  if (os !== undefined && language !== 'go') return 'os: only a file in Go is for one system';
  if (name === undefined) return undefined;
  if (language !== 'java') return 'package: only a file in Java has one';
  return isPackage(name) ? undefined : 'package: it is not a Java package such as com.example.weather';
}
