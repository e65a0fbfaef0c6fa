import Type, { type TSchema } from 'typebox';
import { errorNames } from '../errors.ts';

/** The envelope of a success: `{success:true, status, data}`. */
export function Success<T extends TSchema>(data: T, description = 'Done.') {
  return Type.Object({ success: Type.Literal(true), status: Type.Integer(), data }, { description });
}

export const Message = Type.Object({ message: Type.String() });

const Detail = Type.Object({
  in: Type.Optional(Type.String()),
  path: Type.String({ description: 'JSON Pointer.' }),
  keyword: Type.String(),
  message: Type.String(),
});

/** What is said of a failure of which there is nothing special to say. */
export const plainFailure = 'Refused or failed; `error.message` says what is wrong.';

/** The envelope of a failure whose `details` are such. */
export function FailureWith<T extends TSchema>(detail: T, description = plainFailure) {
  return Type.Object(
    {
      success: Type.Literal(false),
      status: Type.Integer(),
      error: Type.Object({
        name: Type.Enum([...errorNames]),
        description: Type.String(),
        message: Type.String(),
        details: Type.Optional(Type.Array(detail)),
      }),
    },
    { description },
  );
}

export const Failure = FailureWith(Detail);
