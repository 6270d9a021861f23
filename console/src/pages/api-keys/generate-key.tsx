import { Checkbox, Modal, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { Channel } from '../../api/account.js';
import { type NewKey, useCreateKey } from '../../api/keys.js';
import { problemsOf } from '../../api/request.js';
import { text } from '../../text/en.js';
import { CopyField } from '../../ui/copy-field.js';
import { DialogButtons } from '../../ui/dialog-buttons.js';
import { ErrorState } from '../../ui/error-state.js';
import { FreshKey } from '../../ui/fresh-key.js';

interface GenerateKeyProps {
  accountId: string;
  channels: readonly Channel[];
  opened: boolean;
  onClose(): void;
}

type Scope = NewKey['scopes'][number];
const SCOPES = Object.entries(text.apiKeys.scopeNames) as [Scope, string][];

/** Asks for a name, channels and scopes; then shows the key and its secret, this once. */
export function GenerateKey({ accountId, channels, opened, onClose }: GenerateKeyProps) {
  const create = useCreateKey(accountId);
  const form = useForm({
    initialValues: { name: '', channelIds: [] as string[], scopes: ['full'] as string[] },
    validate: {
      channelIds: (chosen) => (chosen.length > 0 || channels.length === 1 ? null : text.apiKeys.channelNeeded),
      scopes: (chosen) => (chosen.length > 0 ? null : text.apiKeys.scopeNeeded),
    },
  });
  const only = channels.length === 1 ? channels[0] : undefined;
  const chosen = only ? [only.id] : form.values.channelIds;
  const close = () => {
    onClose();
    create.reset();
    form.reset();
  };
  const submit = form.onSubmit(({ name, scopes }) =>
    create.mutate(
      { name, channelIds: chosen, scopes: scopes as Scope[] },
      { onError: (error) => form.setErrors(problemsOf(error)) },
    ),
  );
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={create.data ? text.apiKeys.generated(form.values.name) : text.apiKeys.generate}
    >
      {create.data ? (
        <FreshKey
          accountId={accountId}
          id={create.data.id}
          once={text.apiKeys.once}
          operation="sendTemplate"
          onDone={close}
        >
          <CopyField label={text.apiKeys.apiKey} value={create.data.key} />
          <CopyField label={text.apiKeys.secret} value={create.data.secret} />
          {chosen.map((id) => (
            <CopyField
              key={id}
              label={text.apiKeys.channelId(channels.find((channel) => channel.id === id)?.name ?? '')}
              value={id}
            />
          ))}
        </FreshKey>
      ) : (
        <form onSubmit={submit}>
          <Stack>
            {create.error && Object.keys(form.errors).length === 0 && <ErrorState error={create.error} />}
            <TextInput
              label={text.apiKeys.name}
              description={text.apiKeys.nameHint}
              required
              maxLength={100}
              data-autofocus
              autoComplete="off"
              {...form.getInputProps('name')}
            />
            {only ? (
              <Text size="sm">{text.apiKeys.onlyChannel(only.name)}</Text>
            ) : (
              <Checkbox.Group
                label={text.apiKeys.channels}
                display={channels.length === 0 ? 'none' : undefined}
                {...form.getInputProps('channelIds')}
              >
                <Stack gap="xs" mt="xs">
                  {channels.map(({ id, name, phoneNumber }) => (
                    <Checkbox key={id} value={id} label={name} description={`+${phoneNumber}`} />
                  ))}
                </Stack>
              </Checkbox.Group>
            )}
            <Checkbox.Group label={text.apiKeys.scopes} {...form.getInputProps('scopes')}>
              <SimpleGrid cols={2} spacing="sm" verticalSpacing="xs" mt="xs">
                {SCOPES.map(([scope, label]) => (
                  <Checkbox key={scope} value={scope} label={label} />
                ))}
              </SimpleGrid>
            </Checkbox.Group>
            <DialogButtons onCancel={close} loading={create.isPending} disabled={channels.length === 0}>
              {text.apiKeys.generate}
            </DialogButtons>
          </Stack>
        </form>
      )}
    </Modal>
  );
}
