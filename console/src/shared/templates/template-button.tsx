import { Button, Grid, Modal, Select, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { ChannelRef } from '../../api/channel-ref.js';
import { useSendOnce } from '../../api/client/use-send-once.js';
import { type SentResult, sendTemplate } from '../../api/inbox.js';
import { type Template, templatesQuery } from '../../api/templates.js';
import { useSession } from '../../session/session.js';
import { text } from '../../text/en.js';
import { Icon } from '../../ui/basics/icons.js';
import { DialogButtons } from '../../ui/dialogs/dialog-buttons.js';
import { EmptyState } from '../../ui/feedback/empty-state.js';
import { ErrorState } from '../../ui/feedback/error-state.js';
import { LoadingState } from '../../ui/feedback/loading-state.js';
import { formatSlotLabel, toInputProps } from './slot-label.js';
import { listSlots } from './template-parts.js';
import { TemplatePreview } from './template-preview.js';
import { buildComponents } from './template-send.js';

interface TemplateButtonProps {
  channelRef: ChannelRef;
  contactId: string;
  contactName: string;
  isPrimary: boolean;
  onSent(sent: SentResult): unknown;
}

export function TemplateButton({ channelRef, contactId, contactName, isPrimary, onSent }: TemplateButtonProps) {
  const [opened, { open, close }] = useDisclosure();
  return (
    <>
      <Button
        size="xs"
        px="xs"
        variant={isPrimary ? 'filled' : 'default'}
        onClick={open}
        leftSection={<Icon name="template" size={16} />}
      >
        {text.inbox.sendTemplate}
      </Button>
      <Modal opened={opened} onClose={close} title={text.inbox.templateTitle(contactName)} size="xl">
        <TemplateForm
          channelRef={channelRef}
          contactId={contactId}
          onCancel={close}
          onSent={(sent) => [close(), onSent(sent)]}
        />
      </Modal>
    </>
  );
}

interface TemplateFormProps {
  channelRef: ChannelRef;
  contactId: string;
  onCancel(): void;
  onSent(sent: SentResult): unknown;
}

function TemplateForm({ channelRef, contactId, onCancel, onSent }: TemplateFormProps) {
  const { data, error, refetch } = useQuery(templatesQuery(channelRef.accountId, channelRef.channelId));
  const [chosenId, setChosenId] = useState<string | null>(null);
  const [values, setValues] = useState<Record<string, string>>({});
  // If the response was lost and the operator fills in the dialog again, the message must not be sent twice.
  const sendOnce = useSendOnce(`${useSession()?.operator.id ?? ''} template ${contactId}`);
  const approved = data?.templates.filter(({ status }) => status === 'APPROVED') ?? [];
  const template = approved.find(({ id }) => id === chosenId);
  const slots = template ? listSlots(template.components) : [];
  const isFull = slots.every(({ id }) => (values[id] ?? '').trim() !== '');
  const sending = useMutation({
    mutationFn: ({ name, language }: Template) => {
      const message = { contactId, templateName: name, language, components: buildComponents(slots, values) };
      return sendOnce(message, (key) => sendTemplate(channelRef, message, key));
    },
    onSuccess: onSent,
  });
  const problem = error && <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) return problem ?? <LoadingState />;
  if (approved.length === 0) {
    return <EmptyState icon="template" title={text.inbox.noTemplates} hint={text.inbox.noTemplatesHint} />;
  }
  const submit = (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation();
    if (template && isFull) sending.mutate(template);
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {problem}
        {sending.error && <ErrorState error={sending.error} />}
        <Grid gap="lg">
          <Grid.Col span={{ base: 12, sm: 6 }}>
            <Stack>
              <Select
                label={text.inbox.chooseTemplate}
                placeholder={text.inbox.chooseTemplate}
                searchable
                data={approved.map(({ id, name, language }) => ({ value: id, label: `${name} · ${language}` }))}
                value={chosenId}
                onChange={(id) => {
                  setChosenId(id);
                  setValues({});
                }}
                data-autofocus
              />
              {slots.map((slot) => (
                <TextInput
                  key={slot.id}
                  label={formatSlotLabel(slot)}
                  {...toInputProps(slot)}
                  placeholder={slot.example}
                  required
                  value={values[slot.id] ?? ''}
                  onChange={({ currentTarget: { value } }) => setValues((last) => ({ ...last, [slot.id]: value }))}
                />
              ))}
              {template && slots.length === 0 && (
                <Text size="sm" c="dimmed">
                  {text.inbox.noParameters}
                </Text>
              )}
            </Stack>
          </Grid.Col>
          <Grid.Col span={{ base: 12, sm: 6 }}>
            {template && <TemplatePreview components={template.components} values={values} />}
          </Grid.Col>
        </Grid>
        <DialogButtons onCancel={onCancel} loading={sending.isPending} disabled={!template || !isFull}>
          {text.inbox.sendTemplateSubmit}
        </DialogButtons>
      </Stack>
    </form>
  );
}
