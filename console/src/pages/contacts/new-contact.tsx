import { Button, Modal, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { createContact, type Place } from '../../api/people.js';
import { problemsOf } from '../../api/request.js';
import { text } from '../../text/en.js';
import { DialogButtons } from '../../ui/dialog-buttons.js';
import { ErrorState } from '../../ui/error-state.js';
import { Icon } from '../../ui/icons.js';
import { notify } from '../../ui/notices.js';

const words = text.contacts;

/** The button that adds a contact, and its form. */
export function NewContact({ place }: { place: Place }) {
  const [opened, setOpened] = useState(false);
  return (
    <>
      <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setOpened(true)}>
        {words.add}
      </Button>
      <Modal opened={opened} onClose={() => setOpened(false)} title={words.add}>
        <NewContactForm place={place} onDone={() => setOpened(false)} />
      </Modal>
    </>
  );
}

function NewContactForm({ place, onDone }: { place: Place; onDone(): void }) {
  const client = useQueryClient();
  const form = useForm({ initialValues: { phone: '', name: '', email: '' } });
  const add = useMutation({
    mutationFn: (values: typeof form.values) => createContact(place, values),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ['contacts', place.accountId] });
      notify(words.created);
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
          description={words.phoneHint}
          type="tel"
          required
          data-autofocus
          {...form.getInputProps('phone')}
        />
        <TextInput label={words.name} {...form.getInputProps('name')} />
        <TextInput label={words.email} type="email" {...form.getInputProps('email')} />
        {add.error && !isTold && <ErrorState error={add.error} />}
        <DialogButtons onCancel={onDone} loading={add.isPending}>
          {words.add}
        </DialogButtons>
      </Stack>
    </form>
  );
}
