import { Button, Checkbox, Group, Input, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import {
  ACCOUNT_EVENT_TYPES,
  CHANNEL_EVENT_TYPES,
  WEBHOOK_EVENTS,
} from '../../../../src/messages/events/webhook-events.js';
import { findFieldProblem } from '../../api/client/request.js';
import { FORMATTED_EVENTS, type WebhookDraft } from '../../api/webhooks.js';
import { text } from '../../text/en.js';
import { ErrorState } from '../../ui/feedback/error-state.js';
import { useReportTouched } from '../../ui/forms/use-versioned-form.js';

const words = text.webhooks;

interface WebhookFormProps {
  initial: WebhookDraft;
  isAccountWide: boolean;
  formats?: readonly WebhookDraft['format'][];
  /** Whether the webhook already exists; if so, its format and app secret cannot be changed. */
  isExisting?: boolean;
  submit: string;
  readOnly?: boolean;
  onTouched?(): void;
  onSubmit(draft: WebhookDraft): Promise<unknown>;
}

export function WebhookForm({
  initial,
  isAccountWide,
  formats = [],
  isExisting = false,
  submit,
  readOnly = false,
  onTouched,
  onSubmit,
}: WebhookFormProps) {
  const [draft, setDraft] = useState(initial);
  useReportTouched(onTouched, draft);
  const { mutate, error, isPending } = useMutation({ mutationFn: () => onSubmit(draft) });
  const save = (event: FormEvent) => {
    event.preventDefault();
    mutate();
  };
  const isMeta = draft.format === 'meta';
  /** Field for a secret that the receiving program already has. */
  const secretField = isMeta ? 'appSecret' : draft.format === 'twilio' ? 'authToken' : null;
  const eventTypes = isAccountWide ? ACCOUNT_EVENT_TYPES : CHANNEL_EVENT_TYPES;
  const setFormat = (format: WebhookDraft['format']) =>
    setDraft({ ...draft, format, events: format === 'standard' ? draft.events : [...FORMATTED_EVENTS] });
  return (
    <form onSubmit={save}>
      <Stack>
        {formats.length > 0 && (
          <Input.Wrapper label={words.format} labelElement="div">
            <SegmentedControl
              aria-label={words.format}
              fullWidth
              mt={4}
              value={draft.format}
              onChange={(format) => setFormat(format as WebhookDraft['format'])}
              data={formats.map((value) => ({ value, label: words.formats[value] }))}
            />
            <Text size="xs" c="dimmed" mt={6}>
              {words.formatHints[draft.format]}
            </Text>
          </Input.Wrapper>
        )}
        <TextInput
          label={words.url}
          description={words.urlHint}
          type="url"
          required
          readOnly={readOnly}
          value={draft.url}
          error={findFieldProblem(error, 'url')}
          onChange={(event) => setDraft({ ...draft, url: event.currentTarget.value })}
        />
        {isMeta && (
          <TextInput
            label={words.verifyToken}
            description={isExisting ? words.verifyTokenKept : words.verifyTokenHint}
            required={!isExisting}
            readOnly={readOnly}
            autoComplete="off"
            spellCheck={false}
            value={draft.verifyToken}
            error={findFieldProblem(error, 'verifyToken')}
            onChange={(event) => setDraft({ ...draft, verifyToken: event.currentTarget.value })}
          />
        )}
        {secretField && !isExisting && (
          <TextInput
            label={words[secretField]}
            description={secretField === 'authToken' ? words.authTokenHint : words.appSecretHint}
            autoComplete="off"
            spellCheck={false}
            value={draft[secretField]}
            error={findFieldProblem(error, secretField)}
            onChange={(event) => setDraft({ ...draft, [secretField]: event.currentTarget.value })}
          />
        )}
        <Checkbox.Group
          label={words.events}
          value={draft.events}
          readOnly={readOnly}
          error={findFieldProblem(error, 'events')}
          onChange={(events) => setDraft({ ...draft, events })}
        >
          <Stack gap="xs" mt="xs">
            {eventTypes
              .filter((event) => draft.format === 'standard' || FORMATTED_EVENTS.includes(event))
              .map((event) => (
                <Checkbox key={event} value={event} label={event} description={WEBHOOK_EVENTS[event].description} />
              ))}
          </Stack>
        </Checkbox.Group>
        {error && <ErrorState error={error} />}
        {!readOnly && (
          <Group justify="flex-end">
            <Button type="submit" loading={isPending} disabled={draft.events.length === 0}>
              {submit}
            </Button>
          </Group>
        )}
      </Stack>
    </form>
  );
}
