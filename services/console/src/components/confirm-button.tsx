import { Button, type ButtonVariant, Group, Modal, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { words } from '../words/en.ts';
import { SmallButton } from './buttons.tsx';
import { formatNumber } from './formats.ts';
import { useAct } from './use-act.ts';

interface QuestionProps {
  question: string;
  /** Of the button that confirms. */
  label: string;
  color?: string | undefined;
  /** How many are deleted. More than a hundred are typed to confirm. */
  count?: number | undefined;
  close: () => void;
  /** Undefined while it is not known what would happen. */
  onConfirm: (() => void) | undefined;
}

interface DialogProps extends QuestionProps {
  title: string;
  opened: boolean;
}

const mostUntyped = 100;

export const ConfirmDialog = ({ title, opened, ...question }: DialogProps) => (
  <Modal {...{ title, opened }} onClose={question.close}>
    <Question {...question} />
  </Modal>
);

/** The buttons of a dialog that asks. A double click confirms once: while the dialog closes, it still takes clicks. */
export function ConfirmButtons({
  label,
  color,
  close,
  onConfirm,
}: Pick<QuestionProps, 'label' | 'color' | 'close' | 'onConfirm'>) {
  const [isConfirmed, setConfirmed] = useState(false);
  return (
    <Group justify="flex-end">
      <Button variant="default" onClick={close} data-autofocus>
        {words.common.cancel}
      </Button>
      <Button
        color={color}
        disabled={!onConfirm || isConfirmed}
        onClick={() => {
          setConfirmed(true);
          close();
          onConfirm?.();
        }}
      >
        {label}
      </Button>
    </Group>
  );
}

function Question({ question, count = 0, onConfirm, ...buttons }: QuestionProps) {
  const [typed, setTyped] = useState('');
  const isTyped = count <= mostUntyped || typed.replace(/\D/g, '') === String(count);
  return (
    <>
      <Text mb="md">{question}</Text>
      {count > mostUntyped && (
        <TextInput
          mb="md"
          label={words.common.typeToConfirm(formatNumber(count))}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          inputMode="numeric"
          autoComplete="off"
        />
      )}
      <ConfirmButtons {...buttons} onConfirm={isTyped ? onConfirm : undefined} />
    </>
  );
}

interface ButtonProps extends Pick<DialogProps, 'title' | 'question' | 'label' | 'color' | 'count'> {
  /** Of the button in the dialog; as of the one that opens it. */
  confirm?: string;
  variant?: ButtonVariant;
  act: () => Promise<unknown>;
}

/** A button whose action cannot be undone: a dialog asks first. `title` says on what it acts. */
export function ConfirmButton({ act, label, confirm = label, variant, ...dialog }: ButtonProps) {
  const [opened, { open, close }] = useDisclosure();
  const { mutate, isPending } = useAct(act);
  return (
    <>
      <SmallButton {...(variant && { variant })} loading={isPending} onClick={open} aria-label={dialog.title}>
        {label}
      </SmallButton>
      <ConfirmDialog {...{ opened, close }} {...dialog} label={confirm} onConfirm={mutate} />
    </>
  );
}
