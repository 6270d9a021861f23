import { TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ChangeEvent, useState } from 'react';
import { CONTACT_FIELD_NAMES, mapFields } from '../../../../src/features/contacts/contact-fields.js';
import type { ChannelRef } from '../../api/channel-ref.js';
import { createContact } from '../../api/people.js';
import { useAccount } from '../../session/session.js';
import { ContactFieldInput } from '../../shared/contact-field-input.js';
import { text } from '../../text/en.js';
import { AddButton } from '../../ui/basics/add-button.js';
import { FormDialog } from '../../ui/dialogs/form-dialog.js';
import { notify } from '../../ui/feedback/notices.js';

const words = text.contacts;

export function NewContact({ channelRef }: { channelRef: ChannelRef }) {
  const [opened, setOpened] = useState(false);
  return (
    <>
      <AddButton onClick={() => setOpened(true)}>{words.add}</AddButton>
      {opened && <NewContactDialog channelRef={channelRef} onClose={() => setOpened(false)} />}
    </>
  );
}

function NewContactDialog({ channelRef, onClose }: { channelRef: ChannelRef; onClose(): void }) {
  const client = useQueryClient();
  const isWhatsapp = useAccount()?.channels.find(({ id }) => id === channelRef.channelId)?.kind === 'whatsapp';
  const [contact, setContact] = useState({ phone: '', userId: '', ...mapFields(() => '') });
  const field = (name: keyof typeof contact) => ({
    value: contact[name],
    onChange: (event: ChangeEvent<HTMLInputElement>) => setContact({ ...contact, [name]: event.currentTarget.value }),
  });
  const submit = async () => {
    const { phone, userId, ...texts } = contact;
    // The server refuses empty numbers and user IDs.
    const ids = { ...(phone.trim() && { phone }), ...(userId.trim() && { userId: userId.trim() }) };
    await createContact(channelRef, { ...ids, ...texts });
    void client.invalidateQueries({ queryKey: ['contacts', channelRef.accountId] });
    notify(words.created);
  };
  return (
    <FormDialog
      onClose={onClose}
      title={words.add}
      fields={['phone', 'userId', ...CONTACT_FIELD_NAMES]}
      onSubmit={submit}
    >
      {(problem) => (
        <>
          <TextInput
            label={words.phone}
            description={words.phoneHint}
            type="tel"
            required={!isWhatsapp || contact.userId.trim() === ''}
            data-autofocus
            error={problem('phone')}
            {...field('phone')}
          />
          {isWhatsapp && (
            <TextInput
              label={words.userId}
              description={words.userIdHint}
              autoComplete="off"
              spellCheck={false}
              error={problem('userId')}
              {...field('userId')}
            />
          )}
          {CONTACT_FIELD_NAMES.map((name) => (
            <ContactFieldInput
              key={name}
              name={name}
              value={contact[name]}
              error={problem(name)}
              onChange={(value) => setContact({ ...contact, [name]: value })}
            />
          ))}
        </>
      )}
    </FormDialog>
  );
}
