import { constant, createNames } from '../names.ts';
import type { Choice, Field, Value } from '../schema/model.ts';

/** Words that cannot be names of fields, types or constants. */
export const keywords = [
  ...'abstract assert boolean break byte case catch char class const continue default do double else'.split(
    ' ',
  ),
  ...'enum extends final finally float for goto if implements import instanceof int interface long'.split(
    ' ',
  ),
  ...'native new package private protected public return short static strictfp super switch'.split(' '),
  ...'synchronized this throw throws transient try void volatile while true false null'.split(' '),
  // Methods of each class.
  ...'getClass hashCode equals toString clone finalize wait notify notifyAll builder values'.split(' '),
  ...'Object String Long Double Boolean Enum Record Uploader Types Builder Override List Map'.split(' '),
  ...'LinkedHashMap Arrays Collections IllegalStateException JsonInclude JsonProperty JsonValue'.split(' '),
  ...'DateTime Date DateTimeFormatter Instant LocalDate OffsetDateTime JsonCreator'.split(' '),
  ...'JsonPropertyOrder JsonAnyGetter JsonAnySetter JsonDeserialize JsonPOJOBuilder'.split(' '),
];

/** Whether Java takes it as the name of a package. */
export const isPackage = (name: string) =>
  name.length <= 200 &&
  /^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$/.test(name) &&
  !name.split('.').some((part) => part === '_' || keywords.includes(part));

export function constantsOf({ values }: Choice): string[] {
  const names = createNames(keywords);
  return values.map((value) => names.take(constant(value, 'value')));
}

/** Jackson takes an empty name for none. */
export const hasName = ({ key }: Field) => key !== '';

/** The types of texts with a format. */
export const times: Partial<Record<string, string>> = { 'date-time': 'DateTime', date: 'Date' };

export const timeOf = (value: Value) => (value.kind === 'string' ? times[value.format ?? ''] : undefined);
