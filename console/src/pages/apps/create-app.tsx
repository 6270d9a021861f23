import { Checkbox, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useCreateApp } from '../../api/account/keys.js';
import { listFieldProblems } from '../../api/client/request.js';
import { CreatedKey } from '../../shared/created-key.js';
import { KeyNameField } from '../../shared/key-name-field.js';
import { text } from '../../text/en.js';
import { toSid } from '../../text/sids.js';
import { DialogButtons } from '../../ui/dialogs/dialog-buttons.js';
import { SecretModal } from '../../ui/dialogs/secret-modal.js';
import { ErrorState } from '../../ui/feedback/error-state.js';
import { CopyField } from '../../ui/forms/copy-field.js';

interface CreateAppProps {
  accountId: string;
  opened: boolean;
  onClose(): void;
}

export function CreateApp({ accountId, opened, onClose }: CreateAppProps) {
  const create = useCreateApp(accountId);
  const form = useForm({
    initialValues: { name: '', rest: true },
    validate: { rest: (chosen) => (chosen ? null : text.apps.scopeNeeded) },
  });
  const close = () => {
    onClose();
    create.reset();
    form.reset();
  };
  const submit = form.onSubmit(({ name }) =>
    create.mutate({ name, scopes: ['rest'] }, { onError: (error) => form.setErrors(listFieldProblems(error)) }),
  );
  return (
    <SecretModal
      holdsSecret={create.data !== undefined}
      opened={opened}
      onClose={close}
      title={create.data ? text.apps.createdTitle(form.values.name) : text.apps.create}
    >
      {create.data ? (
        <CreatedKey
          accountId={accountId}
          id={create.data.id}
          notice={text.apps.keyOnce}
          operation="send"
          onDone={close}
        >
          <CopyField label={text.apps.apiKey} value={create.data.key} />
          <CopyField label={text.apps.accountSid} value={toSid('AC', accountId)} />
          <Text size="sm" c="dimmed">
            {text.apps.forTwilio}
          </Text>
        </CreatedKey>
      ) : (
        <form onSubmit={submit}>
          <Stack>
            {create.error && Object.keys(form.errors).length === 0 && <ErrorState error={create.error} />}
            <KeyNameField words={text.apps} {...form.getInputProps('name')} />
            <Checkbox.Group
              label={text.apps.scope}
              value={form.values.rest ? ['rest'] : []}
              onChange={(chosen) => form.setFieldValue('rest', chosen.includes('rest'))}
              error={form.errors.rest ?? form.errors.scopes}
            >
              <Checkbox mt="xs" value="rest" label={text.apps.rest} description={text.apps.restHint} />
            </Checkbox.Group>
            <DialogButtons onCancel={close} loading={create.isPending}>
              {text.apps.create}
            </DialogButtons>
          </Stack>
        </form>
      )}
    </SecretModal>
  );
}
