import { errorNames } from '@sluice/shared/errors.ts';
import Type, { type TSchema } from 'typebox';

/** `Application` → `ApplicationResponse`, a list of them → `ApplicationListResponse`. */
function responseTitle({ title, items }: { title?: string; items?: { title?: string } }): string | undefined {
  if (title) return `${title}Response`;
  return items?.title && `${items.title}ListResponse`;
}

/** The envelope of a success: `{success:true, status, data}`. The example is one of `data`. */
export function Success<T extends TSchema>(data: T, description = 'Done.', example?: unknown) {
  const title = responseTitle(data);
  return Type.Object(
    { success: Type.Literal(true), status: Type.Integer({ examples: [200] }), data },
    {
      description,
      ...(title && { title }),
      ...(example !== undefined && { examples: [{ success: true, status: 200, data: example }] }),
    },
  );
}

export const Message = Type.Object(
  { message: Type.String({ description: 'What was done.', examples: ['done'] }) },
  { title: 'Message' },
);

const Detail = Type.Object(
  {
    in: Type.Optional(
      Type.String({ description: 'Part of the request: `body`, `querystring`, `params` or `headers`.' }),
    ),
    path: Type.String({ description: 'Where in that part: a JSON Pointer, such as `/address/city`.' }),
    keyword: Type.String({ description: 'The rule that is broken, such as `required`.' }),
    message: Type.String(),
  },
  { title: 'ErrorDetail' },
);

/** The envelope of a failure whose `details` are such. */
export function FailureWith<T extends TSchema>(title: string, detail: T, description?: string) {
  return Type.Object(
    {
      success: Type.Literal(false),
      status: Type.Integer(),
      error: Type.Object(
        {
          name: Type.Enum([...errorNames], { title: 'ErrorName' }),
          description: Type.String({ description: 'What this name means: always the same text.' }),
          message: Type.String({ description: 'What is wrong with this request.' }),
          details: Type.Optional(Type.Array(detail)),
        },
        { title: `${title}Error` },
      ),
    },
    { title, ...(description && { description }) },
  );
}

export const Failure = FailureWith('Failure', Detail);
