import { Anchor, TextInput } from '@mantine/core';
import { signIn } from '../../api/browser-session.ts';
import type { Schemas } from '../../api/client.ts';
import { tellAt } from '../../api/failure.ts';
import { Form } from '../../components/form.tsx';
import { words } from '../../words/en.ts';

const focus = (input: HTMLInputElement | null) => input?.focus();
const wrong = tellAt('/code', words.secondFactor.wrong);

/** The second step of a user who has a second factor. */
export const CodeForm = ({ given, back }: { given: Schemas['Credentials']; back: () => void }) => (
  <Form
    act={({ code }: { code: string }) => signIn({ ...given, code }).catch(wrong)}
    submit={words.signIn.submit}
  >
    {(fault) => (
      <>
        <TextInput
          name="code"
          label={words.signIn.code}
          description={words.signIn.codeHint}
          autoComplete="one-time-code"
          error={fault('/code')}
          ref={focus}
          required
        />
        <Anchor component="button" type="button" onClick={back}>
          {words.signIn.back}
        </Anchor>
      </>
    )}
  </Form>
);
