import { TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ChangeEvent, useState } from 'react';
import { createContact, type Place } from '../../api/people.js';
import { text } from '../../text/en.js';
import { AddButton } from '../../ui/basics/add-button.js';
import { FormDialog } from '../../ui/dialogs/form-dialog.js';
import { notify } from '../../ui/feedback/notices.js';

const words = text.contacts;

/** The button that adds a contact, and its form. */
export function NewContact({ place }: { place: Place }) {
  const [opened, setOpened] = useState(false);
  return (
    <>
      <AddButton onClick={() => setOpened(true)}>{words.add}</AddButton>
      {opened && <NewContactDialog place={place} onClose={() => setOpened(false)} />}
    </>
  );
}

function NewContactDialog({ place, onClose }: { place: Place; onClose(): void }) {
  const client = useQueryClient();
  const [contact, setContact] = useState({ phone: '', name: '', email: '' });
  const field = (name: keyof typeof contact) => ({
    value: contact[name],
    onChange: (event: ChangeEvent<HTMLInputElement>) => setContact({ ...contact, [name]: event.currentTarget.value }),
  });
  const submit = async () => {
    await createContact(place, contact);
    void client.invalidateQueries({ queryKey: ['contacts', place.accountId] });
    notify(words.created);
  };
  return (
    <FormDialog onClose={onClose} title={words.add} fields={['phone', 'name', 'email']} onSubmit={submit}>
      {(problem) => (
        <>
          <TextInput
            label={words.phone}
            description={words.phoneHint}
            type="tel"
            required
            data-autofocus
            error={problem('phone')}
            {...field('phone')}
          />
          <TextInput label={words.name} error={problem('name')} {...field('name')} />
          <TextInput label={words.email} type="email" error={problem('email')} {...field('email')} />
        </>
      )}
    </FormDialog>
  );
}
