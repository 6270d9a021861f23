import { Checkbox, Group, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { Channel } from '../../api/account/account.js';
import { useCreateKey } from '../../api/account/keys.js';
import { listFieldProblems } from '../../api/client/request.js';
import { CreatedKey } from '../../shared/created-key.js';
import { KeyNameField } from '../../shared/key-name-field.js';
import { text } from '../../text/en.js';
import { DialogButtons } from '../../ui/dialogs/dialog-buttons.js';
import { SecretModal } from '../../ui/dialogs/secret-modal.js';
import { ErrorState } from '../../ui/feedback/error-state.js';
import { CopyButton, CopyField } from '../../ui/forms/copy-field.js';
import { buildEnvFile } from './env-file.js';
import { CloudApiSection } from './for-cloud-api.js';
import { EVERYTHING, ScopeFields } from './scope-fields.js';

interface GenerateKeyProps {
  accountId: string;
  channels: readonly Channel[];
  opened: boolean;
  onClose(): void;
}

export function GenerateKey({ accountId, channels, opened, onClose }: GenerateKeyProps) {
  const create = useCreateKey(accountId);
  const form = useForm({
    initialValues: { name: '', channelIds: [] as string[], scopes: EVERYTHING },
    validate: {
      channelIds: (ids) => (ids.length > 0 || channels.length === 1 ? null : text.apiKeys.channelNeeded),
      scopes: (scopes) => (scopes.length > 0 ? null : text.apiKeys.scopeNeeded),
    },
  });
  const onlyChannel = channels.length === 1 ? channels[0] : undefined;
  const chosenIds = onlyChannel ? [onlyChannel.id] : form.values.channelIds;
  const close = () => {
    onClose();
    create.reset();
    form.reset();
  };
  const submit = form.onSubmit(({ name, scopes }) =>
    create.mutate(
      { name, channelIds: chosenIds, scopes: [...scopes] },
      { onError: (error) => form.setErrors(listFieldProblems(error)) },
    ),
  );
  return (
    <SecretModal
      holdsSecret={create.data !== undefined}
      opened={opened}
      onClose={close}
      size="lg"
      title={create.data ? text.apiKeys.generated(form.values.name) : text.apiKeys.generate}
    >
      {create.data ? (
        <CreatedKey
          accountId={accountId}
          id={create.data.id}
          notice={text.apiKeys.once}
          operation="sendTemplate"
          onDone={close}
        >
          <CopyField label={text.apiKeys.apiKey} value={create.data.key} />
          <CopyField label={text.apiKeys.secret} value={create.data.secret} />
          {chosenIds.map((id) => (
            <CopyField
              key={id}
              label={text.apiKeys.channelId(channels.find((channel) => channel.id === id)?.name ?? '')}
              value={id}
            />
          ))}
          <Group justify="flex-end">
            <CopyButton
              value={buildEnvFile(
                create.data,
                channels.filter(({ id }) => chosenIds.includes(id)),
              )}
            >
              {text.apiKeys.copyEnv}
            </CopyButton>
          </Group>
          <CloudApiSection
            accountId={accountId}
            channelIds={chosenIds}
            token={`${create.data.key}.${create.data.secret}`}
          />
        </CreatedKey>
      ) : (
        <form onSubmit={submit}>
          <Stack>
            {create.error && Object.keys(form.errors).length === 0 && <ErrorState error={create.error} />}
            <KeyNameField words={text.apiKeys} {...form.getInputProps('name')} />
            {onlyChannel ? (
              <Text size="sm">{text.apiKeys.onlyChannel(onlyChannel.name)}</Text>
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
            <ScopeFields
              scopes={form.values.scopes}
              error={form.errors.scopes as string | undefined}
              onChange={(scopes) => form.setFieldValue('scopes', scopes)}
            />
            <DialogButtons onCancel={close} loading={create.isPending} disabled={channels.length === 0}>
              {text.apiKeys.generate}
            </DialogButtons>
          </Stack>
        </form>
      )}
    </SecretModal>
  );
}
