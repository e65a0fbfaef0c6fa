import { toJson } from '@sluice/json/numbers.ts';
import type { Field, RecordType, Value } from '../schema/model.ts';

/** JSON, perhaps with BigInts. */
export type SampleEntry = Record<string, unknown>;

/** A longer sample is not shown. */
const most = { values: 100, characters: 2_000 };

/** An entry with its required fields, or with its first fields if none is required. Empty if it would be long or endless. */
export function sampleOf(entry: RecordType): SampleEntry {
  let values = 0;

  function ofRecord(record: RecordType): SampleEntry {
    const shown = shownIn(record);
    return Object.fromEntries(shown.map(({ key, value }) => [key, ofValue(value)]));
  }

  function ofValue(value: Value): unknown {
    values += 1;
    if (values > most.values) return null;
    switch (value.kind) {
      case 'record':
        return ofRecord(value.record);
      case 'choice':
        return value.choice.values[0];
      case 'list':
        return Array.from({ length: Math.min(value.sampleLength, most.values) }, () => ofValue(value.of));
      case 'map':
        return {};
      default:
        return value.sample;
    }
  }

  const sample = ofRecord(entry);
  return values > most.values || toJson(sample).length > most.characters ? {} : sample;

  function shownIn(record: RecordType): Field[] {
    const required = record.fields.filter(({ isRequired }) => isRequired);
    return required.length > 0 || record !== entry ? required : record.fields.slice(0, 3);
  }
}
