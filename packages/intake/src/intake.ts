import type { Compiler } from '@sluice/schemas/compile/compiler.ts';
import type { Explainer } from '@sluice/schemas/explain/explainer.ts';
import { schemaFields } from '@sluice/schemas/fields/schema-fields.ts';
import type { CompiledSchema } from '@sluice/schemas/judge/compiled-schema.ts';
import { parseSchema } from '@sluice/schemas/schema.ts';
import { unavailable } from '@sluice/shared/errors.ts';
import type { ApplicationRecord, Unique } from '@sluice/store/applications/applications.ts';
import {
  type Extent,
  type FieldStore,
  largeNumbers,
  maxFieldLength,
} from '@sluice/store/applications/fields.ts';
import { createFieldSet, type FieldSet } from './field-set.ts';
import type { AcceptedLine } from './line.ts';
import { uniqueIn } from './unique.ts';
import { createJudge, type Judge } from './validate-payload.ts';

/** Everything needed to accept entries of an application. */
export interface Intake {
  id: string;
  domain: string;
  /** Id of the owner. */
  owner: string;
  rawSchema: string;
  version: number;
  schema: CompiledSchema;
  judge: Judge;
  fields: FieldSet;
  /** Whether more fields may be recorded. */
  recorded: Extent;
  /** Which member of payloads is unique. */
  unique?: Unique | null | undefined;
  /** About the bytes of memory that all this takes. */
  size: number;
}

/** Measured in the heap of a process with 10,000 applications: the record, and a character of the schema or of a field. */
const [recordBytes, characterBytes] = [2_000, 4];

interface Dependencies {
  fields: FieldStore;
  compiler: Compiler;
  explainer: Explainer;
}

/** Compiles an application's schema and loads its fields. Throws ApiError if the schema cannot be compiled now. */
export function createLoadIntake({ fields, compiler, explainer }: Dependencies) {
  return async ({ id, domain, owner, rawSchema, version, unique }: ApplicationRecord): Promise<Intake> => {
    const compiling = compiler.compile(rawSchema, { client: owner.id });
    const [compiled, recorded] = await Promise.all([compiling, fields.of(id)]);
    // The schema compiled before, so only time or memory can be missing now.
    if (!compiled.ok) throw unavailable(`the schema cannot be compiled now: ${compiled.problem}`);
    const known = createFieldSet();
    known.add(schemaFields(parseSchema(rawSchema)));
    known.add(recorded.pointers);
    if (recorded.hasLarge) known.add([largeNumbers]);
    const { schema } = compiled;
    const characters = recorded.pointers.reduce((sum, { length }) => sum + length, rawSchema.length);
    return {
      id,
      domain,
      owner: owner.id,
      rawSchema,
      version,
      schema,
      judge: createJudge(explainer, { domain, client: owner.id, schema }),
      fields: known,
      recorded: { overflow: recorded.overflow, closed: recorded.closed },
      unique,
      size: recordBytes + schema.size + characterBytes * characters,
    };
  };
}

export type RecordFields = ReturnType<typeof createRecordFields>;

/** Records each field before its first entry is stored, so that exports know their columns. */
export function createRecordFields(fields: FieldStore) {
  /** The fields that must be recorded before the entry is stored. */
  const notOnRecord = ({ recorded, fields }: Intake, found: string[]): string[] =>
    recorded.closed
      ? []
      : found.filter((field) => !fields.has(field) && !(recorded.overflow && field.length > maxFieldLength));

  return {
    notOnRecord,

    /** What must be known of a payload before it is stored. */
    find: (
      application: Intake,
      payload: Record<string, unknown>,
    ): Pick<AcceptedLine, 'fields' | 'value'> => ({
      fields: application.recorded.closed
        ? []
        : notOnRecord(application, application.fields.unknown(payload)),
      value: uniqueIn(application, payload),
    }),

    /** Undefined if nothing is to be recorded, which is the usual case. */
    record(application: Intake, found: Set<string>): Promise<void> | undefined {
      if (found.size === 0) return undefined;
      return fields.add(application.id, [...found]).then((recorded) => {
        application.recorded = recorded;
        if (recorded.closed) return;
        application.fields.add([...found].filter(({ length }) => length <= maxFieldLength));
      });
    },
  };
}
