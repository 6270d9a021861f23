import { Anchor, Button, Group as Row, Select, Stack, Text, TextInput, Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ChannelRef } from '../../api/channel-ref.js';
import { buildConsentExportUrl, type ConsentBody, contactConsentsQuery, recordConsent } from '../../api/consents.js';
import { text } from '../../text/en.js';
import { FormDialog } from '../../ui/dialogs/form-dialog.js';
import { notify } from '../../ui/feedback/notices.js';
import { TimeText } from '../../ui/values/time-text.js';

const words = text.consent;

interface ContactConsentProps {
  channelRef: ChannelRef;
  contactId: string;
  mayChange: boolean;
}

/** What a contact agreed to, and the entries of the ledger that say so. */
export function ContactConsent({ channelRef, contactId, mayChange }: ContactConsentProps) {
  const { data } = useQuery(contactConsentsQuery(channelRef, contactId));
  const [isRecording, setRecording] = useState(false);
  if (!data) return null;
  return (
    <Stack gap="xs" mt="lg">
      <Row justify="space-between">
        <Title order={3} size="h5">
          {words.title}
        </Title>
        {mayChange && (
          <Button size="xs" variant="default" onClick={() => setRecording(true)}>
            {words.record}
          </Button>
        )}
      </Row>
      {data.current.map(({ purpose, consent, optOut }) => (
        <Text key={purpose} size="sm">
          {words.purposes[purpose]}: {words.states[consent]}
          {optOut && ` · ${words.optedOut}`}
        </Text>
      ))}
      {data.entries.map(({ id, purpose, decision, source, wording, wordingVersion, url, decidedAt }) => (
        <Stack key={id} gap={0}>
          <Text size="sm">
            {words.entry(words.purposes[purpose], words.states[decision], words.sources[source])} ·{' '}
            <TimeText value={decidedAt} />
          </Text>
          {[wording, wordingVersion && words.version(wordingVersion), url].filter(Boolean).map((line) => (
            <Text key={line} size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              {line}
            </Text>
          ))}
        </Stack>
      ))}
      {data.total > data.entries.length && (
        <Text size="sm" c="dimmed">
          {words.more(String(data.entries.length))}
        </Text>
      )}
      <Anchor href={buildConsentExportUrl(channelRef)} download size="sm">
        {words.exportLedger}
      </Anchor>
      {isRecording && (
        <RecordDialog channelRef={channelRef} contactId={contactId} onClose={() => setRecording(false)} />
      )}
    </Stack>
  );
}

function RecordDialog({
  channelRef,
  contactId,
  onClose,
}: Omit<ContactConsentProps, 'mayChange'> & { onClose(): void }) {
  const client = useQueryClient();
  const [values, setValues] = useState<ConsentBody>({ purpose: 'marketing', decision: 'granted' });
  const set = (change: Partial<ConsentBody>) => setValues((before) => ({ ...before, ...change }));
  const submit = async () => {
    await recordConsent(channelRef, contactId, values);
    notify(words.recorded);
    await client.invalidateQueries({ queryKey: ['contacts', channelRef.accountId] });
  };
  const toOptions = (labels: Readonly<Record<string, string>>, names: readonly string[]) =>
    names.map((value) => ({ value, label: labels[value] ?? value }));
  return (
    <FormDialog
      onClose={onClose}
      title={words.record}
      submit={text.common.save}
      fields={['purpose', 'decision', 'wording', 'wordingVersion', 'url']}
      onSubmit={submit}
    >
      {(problem) => (
        <>
          <Text size="sm">{words.recordHint}</Text>
          <Select
            comboboxProps={{ withinPortal: false }}
            label={words.purpose}
            data={toOptions(words.purposes, ['marketing', 'transactional'])}
            value={values.purpose}
            onChange={(purpose) => purpose && set({ purpose: purpose as ConsentBody['purpose'] })}
            error={problem('purpose')}
            allowDeselect={false}
          />
          <Select
            comboboxProps={{ withinPortal: false }}
            label={words.decision}
            data={toOptions(words.states, ['granted', 'withdrawn'])}
            value={values.decision}
            onChange={(decision) => decision && set({ decision: decision as ConsentBody['decision'] })}
            error={problem('decision')}
            allowDeselect={false}
          />
          <TextInput
            label={words.wording}
            description={words.wordingHint}
            value={values.wording ?? ''}
            onChange={({ currentTarget }) => set({ wording: currentTarget.value || undefined })}
            error={problem('wording')}
          />
          <TextInput
            label={words.url}
            value={values.url ?? ''}
            onChange={({ currentTarget }) => set({ url: currentTarget.value || undefined })}
            error={problem('url')}
          />
        </>
      )}
    </FormDialog>
  );
}
