import { Alert, Anchor, Code, Group, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { renewAll } from '../../api/browser-session.ts';
import { client, dataOf, read, type Schemas } from '../../api/client.ts';
import { tellAt } from '../../api/failure.ts';
import { ActButton } from '../../components/buttons.tsx';
import { CopyText } from '../../components/copy-text.tsx';
import { Form } from '../../components/form.tsx';
import { Unread } from '../../components/loading.tsx';
import { QrCode } from '../../components/qr-code.tsx';
import { Section } from '../../components/section.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { words } from '../../words/en.ts';

const path = '/api/users/me/second-factor';
const wrong = tellAt('/code', words.secondFactor.wrong);

export function SecondFactor() {
  const { data, error, refetch } = useQuery(read(path, {}));
  const [begun, setBegun] = useState<Schemas['NewSecondFactor']>();
  return (
    <Section title={words.secondFactor.title} text={words.secondFactor.text}>
      {(error || !data) && <Unread error={error} retry={refetch} />}
      {data?.on && <TurnOff left={data.recovery_codes_left} />}
      {data?.on === false && data.required && <Alert role="status">{words.secondFactor.required}</Alert>}
      {data?.on === false && !begun && (
        <ActButton act={() => dataOf(client.POST(path)).then(setBegun)}>{words.secondFactor.setUp}</ActButton>
      )}
      {data?.on === false && begun && <Confirm begun={begun} onDone={() => setBegun(undefined)} />}
    </Section>
  );
}

/** What the app and its user must keep, then a code that proves that the app has it. */
function Confirm({ begun, onDone }: { begun: Schemas['NewSecondFactor']; onDone: () => void }) {
  const { otpauth_url: url, recovery_codes: codes } = begun;
  const key = new URL(url).searchParams.get('secret') ?? '';
  async function confirm(body: Schemas['SecondFactorCode']) {
    await dataOf(client.POST(`${path}/confirm`, { body })).catch(wrong);
    // Where one is required, this token may do everything now.
    await renewAll();
    onDone();
    showSuccess(words.secondFactor.isOn);
  }
  return (
    <Stack gap="sm" maw={440}>
      <Text>{words.secondFactor.scan}</Text>
      <QrCode text={url} label={words.secondFactor.qrCode} />
      <Anchor href={url}>{words.secondFactor.openApp}</Anchor>
      <Group gap="xs">
        <Text>{words.secondFactor.key}</Text>
        <Code>{key}</Code>
        <CopyText text={key} label={words.common.copyOf(words.secondFactor.key)} />
      </Group>
      <Text>{words.secondFactor.recovery}</Text>
      <Group gap="xs" align="flex-start">
        <Code block aria-label={words.secondFactor.recoveryCodes}>
          {codes.join('\n')}
        </Code>
        <CopyText text={codes.join('\n')} label={words.common.copyOf(words.secondFactor.recoveryCodes)} />
      </Group>
      <Form act={confirm} submit={words.secondFactor.turnOn}>
        {(fault) => <CodeInput hint={words.secondFactor.proof} error={fault('/code')} />}
      </Form>
    </Stack>
  );
}

function TurnOff({ left }: { left: number }) {
  const remove = (body: Schemas['SecondFactorCode']) =>
    dataOf(client.DELETE(path, { body })).then(() => showSuccess(words.secondFactor.isOff), wrong);
  return (
    <>
      <Text>{words.secondFactor.on(left)}</Text>
      <Form act={remove} submit={words.secondFactor.turnOff} variant="default" color="red" maw={440}>
        {(fault) => <CodeInput hint={words.signIn.codeHint} error={fault('/code')} />}
      </Form>
    </>
  );
}

const CodeInput = ({ hint, error }: { hint: string; error: string | undefined }) => (
  <TextInput
    name="code"
    label={words.signIn.code}
    description={hint}
    autoComplete="one-time-code"
    error={error}
    required
  />
);
