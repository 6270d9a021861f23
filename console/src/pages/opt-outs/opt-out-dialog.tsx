import { Select, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { addOptOut, type OptOutRef } from '../../api/opt-outs.js';
import { useAccount } from '../../session/session.js';
import { text } from '../../text/en.js';
import { FormDialog } from '../../ui/dialogs/form-dialog.js';
import { notify } from '../../ui/feedback/notices.js';
import { isUserId } from '../../ui/values/phone.js';

const words = text.optOuts;
const OTHER = 'other';

export function OptOutDialog({ accountId, onClose }: { accountId: string; onClose(): void }) {
  const client = useQueryClient();
  const channels = useAccount()?.channels ?? [];
  const [chosenSender, setChosen] = useState<string | null>(null);
  // The default sender cannot be the initial state, because the account may load after the dialog has opened.
  const from = chosenSender ?? channels[0]?.id ?? OTHER;
  const [sender, setSender] = useState('');
  const [phone, setPhone] = useState('');
  const submit = async () => {
    const channel = channels.find(({ id }) => id === from);
    const senderRef: Pick<OptOutRef, 'kind' | 'sender'> = channel
      ? { kind: channel.kind, sender: channel.phoneNumber }
      : { kind: 'sms', sender };
    await addOptOut(accountId, { ...senderRef, ...(isUserId(phone) ? { userId: phone.trim() } : { phone }) });
    void client.invalidateQueries({ queryKey: ['opt-outs', accountId] });
    void client.invalidateQueries({ queryKey: ['contacts', accountId] });
    notify(words.added);
  };
  return (
    <FormDialog
      onClose={onClose}
      title={words.add}
      fields={from === OTHER ? ['phone', 'userId', 'sender'] : ['phone', 'userId']}
      onSubmit={submit}
    >
      {(problem) => (
        <>
          <TextInput
            label={words.phone}
            description={words.phoneHint}
            required
            data-autofocus
            value={phone}
            error={problem('phone') ?? problem('userId')}
            onChange={(event) => setPhone(event.currentTarget.value)}
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
            value={from}
            onChange={setChosen}
          />
          {from === OTHER && (
            <TextInput
              label={words.senderId}
              required
              value={sender}
              error={problem('sender')}
              onChange={(event) => setSender(event.currentTarget.value)}
            />
          )}
        </>
      )}
    </FormDialog>
  );
}
