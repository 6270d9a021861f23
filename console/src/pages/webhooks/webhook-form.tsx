import { Button, Checkbox, Group, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { problemOf } from '../../api/request.js';
import { ACCOUNT_EVENTS, CHANNEL_EVENTS, type WebhookDraft } from '../../api/webhooks.js';
import { text } from '../../text/en.js';
import { ErrorState } from '../../ui/feedback/error-state.js';
import { useTouched } from '../../ui/forms/use-opened.js';

const words = text.webhooks;

interface WebhookFormProps {
  initial: WebhookDraft;
  ofAccount: boolean;
  submit: string;
  readOnly?: boolean;
  onTouched?(): void;
  onSubmit(draft: WebhookDraft): Promise<unknown>;
}

/** The URL of a webhook, and the events that it is told of. */
export function WebhookForm({ initial, ofAccount, submit, readOnly = false, onTouched, onSubmit }: WebhookFormProps) {
  const [draft, setDraft] = useState(initial);
  useTouched(onTouched, draft);
  const { mutate, error, isPending } = useMutation({ mutationFn: () => onSubmit(draft) });
  const save = (event: FormEvent) => {
    event.preventDefault();
    mutate();
  };
  return (
    <form onSubmit={save}>
      <Stack>
        <TextInput
          label={words.url}
          description={words.urlHint}
          type="url"
          required
          readOnly={readOnly}
          value={draft.url}
          error={problemOf(error, 'url')}
          onChange={(event) => setDraft({ ...draft, url: event.currentTarget.value })}
        />
        <Checkbox.Group
          label={words.events}
          value={draft.events}
          readOnly={readOnly}
          error={problemOf(error, 'events')}
          onChange={(events) => setDraft({ ...draft, events })}
        >
          <Stack gap="xs" mt="xs">
            {(ofAccount ? ACCOUNT_EVENTS : CHANNEL_EVENTS).map((event) => (
              <Checkbox key={event} value={event} label={event} description={words.eventHints[event]} />
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
