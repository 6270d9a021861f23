import { Select, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { addOptOut, type OptOutRef } from '../../api/opt-outs.js';
import { problemsOf } from '../../api/request.js';
import { useAccount } from '../../app/session.js';
import { text } from '../../text/en.js';
import { DialogButtons } from '../../ui/dialog-buttons.js';
import { ErrorState } from '../../ui/error-state.js';
import { notify } from '../../ui/notices.js';

const words = text.optOuts;
const OTHER = 'other';

/** Enters that a number wants no messages from a sender. */
export function OptOutForm({ accountId, onDone }: { accountId: string; onDone(): void }) {
  const client = useQueryClient();
  const channels = useAccount()?.channels ?? [];
  const form = useForm({ initialValues: { from: channels[0]?.id ?? OTHER, sender: '', phone: '' } });
  const { from } = form.values;
  const add = useMutation({
    mutationFn: ({ phone, sender }: typeof form.values) => {
      const channel = channels.find(({ id }) => id === from);
      const of: Omit<OptOutRef, 'phone'> = channel
        ? { kind: channel.kind, sender: channel.phoneNumber }
        : { kind: 'sms', sender };
      return addOptOut(accountId, { ...of, phone });
    },
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ['opt-outs', accountId] });
      void client.invalidateQueries({ queryKey: ['contacts', accountId] });
      notify(words.added);
      onDone();
    },
    onError: (error) => form.setErrors(problemsOf(error)),
  });
  const isTold = Object.keys(problemsOf(add.error)).length > 0;
  return (
    <form onSubmit={form.onSubmit((values) => add.mutate(values))} noValidate>
      <Stack>
        <TextInput
          label={words.phone}
          description={text.contacts.phoneHint}
          type="tel"
          required
          data-autofocus
          {...form.getInputProps('phone')}
        />
        <Select
          label={words.channelOrSender}
          allowDeselect={false}
          data={[
            ...channels.map(({ id, name, kind, phoneNumber }) => ({
              value: id,
              label: `${name} (${words.kinds[kind]} +${phoneNumber})`,
            })),
            { value: OTHER, label: words.otherSender },
          ]}
          {...form.getInputProps('from')}
        />
        {from === OTHER && <TextInput label={words.senderId} required {...form.getInputProps('sender')} />}
        {add.error && !isTold && <ErrorState error={add.error} />}
        <DialogButtons onCancel={onDone} loading={add.isPending}>
          {words.add}
        </DialogButtons>
      </Stack>
    </form>
  );
}
