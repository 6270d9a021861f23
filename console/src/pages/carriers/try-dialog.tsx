import { Alert, Button, Group, Modal, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { type CarrierTry, tryCarrier } from '../../api/installation/carriers.js';
import { text } from '../../text/en.js';
import { FormDialog } from '../../ui/dialogs/form-dialog.js';
import { TextField } from '../../ui/forms/text-field.js';
import { FactLines } from '../../ui/tables/facts.js';
import { BodyBlock } from '../../ui/values/body-block.js';
import { formatNumber } from '../../ui/values/numbers.js';

const words = text.carriers;

interface TryDialogProps {
  name: string;
  onClose(): void;
}

export function TryDialog({ name, onClose }: TryDialogProps) {
  const [result, setResult] = useState<CarrierTry | null>(null);
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const [message, setMessage] = useState<string>(words.tryText);
  if (result) {
    return (
      <Modal opened onClose={onClose} title={words.tryTitle(name)} size="lg">
        <Outcome result={result} onAgain={() => setResult(null)} />
      </Modal>
    );
  }
  return (
    <FormDialog
      onClose={onClose}
      onDone={() => undefined}
      title={words.tryTitle(name)}
      submit={words.trySend}
      fields={['from', 'to', 'text']}
      onSubmit={async () => setResult(await tryCarrier(name, { from: from.trim(), to: to.trim(), text: message }))}
    >
      {(_problem, field) => (
        <>
          <Text size="sm" c="dimmed">
            {words.tryHint}
          </Text>
          <TextField
            label={words.tryFrom}
            description={words.tryFromHint}
            required
            {...field('from', from, setFrom)}
            spellCheck={false}
            data-autofocus
          />
          <TextField
            label={words.tryTo}
            description={words.tryToHint}
            required
            {...field('to', to, setTo)}
            inputMode="tel"
          />
          <TextField label={words.tryMessage} required {...field('text', message, setMessage)} />
        </>
      )}
    </FormDialog>
  );
}

function Outcome({ result: { ok, carrierMessageId, error, calls }, onAgain }: { result: CarrierTry; onAgain(): void }) {
  return (
    <Stack>
      <Alert color={ok ? 'green' : 'red'} role="status">
        {ok
          ? words.tryAccepted(carrierMessageId ?? '')
          : `${words.tryFailed(error?.code ?? '')}. ${error?.message ?? ''}`}
      </Alert>
      {calls.length > 0 && (
        <Title order={3} size="sm">
          {words.tryCalls}
        </Title>
      )}
      {calls.map(({ method, url, request, status, answer, failure, milliseconds }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: calls are a fixed list and may be identical.
        <Stack key={index} gap="xs">
          <FactLines
            facts={[
              [words.callAnswer, status === null ? String(failure) : String(status)],
              [words.callTook, words.milliseconds(formatNumber(milliseconds))],
            ]}
          />
          <BodyBlock body={`${method} ${url}`} />
          {request && <BodyBlock body={request} />}
          {answer && <BodyBlock body={answer} />}
        </Stack>
      ))}
      <Group justify="flex-end">
        <Button variant="default" onClick={onAgain}>
          {words.tryAgain}
        </Button>
      </Group>
    </Stack>
  );
}
