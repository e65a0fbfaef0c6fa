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
export function fileOf(language: string, typesOnly: boolean): string | undefined {
  if (isLanguage(language)) {
    const { types, file } = about(language);
    return typesOnly ? types : file;
  }
  const isKnown = typesOnly && Object.hasOwn(furtherLanguages, language);
  return isKnown ? furtherLanguages[language as FurtherLanguage].types : undefined;
}

/** What is wrong with the package of a file; undefined if nothing is. */
export function packageProblem(language: string, name: string): string | undefined {
  if (language !== 'java') return 'package: only a file in Java has one';
  return isPackage(name) ? undefined : 'package: it is not a Java package such as com.example.weather';
}
