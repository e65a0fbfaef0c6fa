import applicator19 from 'ajv/dist/refs/json-schema-2019-09/meta/applicator.json' with { type: 'json' };
import content19 from 'ajv/dist/refs/json-schema-2019-09/meta/content.json' with { type: 'json' };
import core19 from 'ajv/dist/refs/json-schema-2019-09/meta/core.json' with { type: 'json' };
import format19 from 'ajv/dist/refs/json-schema-2019-09/meta/format.json' with { type: 'json' };
import data19 from 'ajv/dist/refs/json-schema-2019-09/meta/meta-data.json' with { type: 'json' };
import validation19 from 'ajv/dist/refs/json-schema-2019-09/meta/validation.json' with { type: 'json' };
import schema19 from 'ajv/dist/refs/json-schema-2019-09/schema.json' with { type: 'json' };
import applicator20 from 'ajv/dist/refs/json-schema-2020-12/meta/applicator.json' with { type: 'json' };
import content20 from 'ajv/dist/refs/json-schema-2020-12/meta/content.json' with { type: 'json' };
import core20 from 'ajv/dist/refs/json-schema-2020-12/meta/core.json' with { type: 'json' };
import format20 from 'ajv/dist/refs/json-schema-2020-12/meta/format-annotation.json' with { type: 'json' };
import data20 from 'ajv/dist/refs/json-schema-2020-12/meta/meta-data.json' with { type: 'json' };
import unevaluated20 from 'ajv/dist/refs/json-schema-2020-12/meta/unevaluated.json' with { type: 'json' };
import validation20 from 'ajv/dist/refs/json-schema-2020-12/meta/validation.json' with { type: 'json' };
import schema20 from 'ajv/dist/refs/json-schema-2020-12/schema.json' with { type: 'json' };
import schema06 from 'ajv/dist/refs/json-schema-draft-06.json' with { type: 'json' };
import schema07 from 'ajv/dist/refs/json-schema-draft-07.json' with { type: 'json' };
import schema04 from 'ajv-draft-04/dist/refs/json-schema-draft-04.json' with { type: 'json' };
import { type Draft, idKeyword } from '../draft.ts';
import type { Schema } from '../schema.ts';

/** The schema of each draft's schemas, and of its vocabularies. */
const metaSchemas: Record<Draft, Schema[]> = {
  '2020-12': [schema20, applicator20, content20, core20, format20, data20, unevaluated20, validation20],
  '2019-09': [schema19, applicator19, content19, core19, format19, data19, validation19],
  '07': [schema07],
  '06': [schema06],
  '04': [schema04],
};

/** The meta-schema of this draft that has the URI, which has no fragment. */
export const metaSchemaAt = (uri: string, draft: Draft): Schema | undefined =>
  metaSchemas[draft].find((schema) => String(schema[idKeyword(draft)]).replace(/#$/, '') === uri);
