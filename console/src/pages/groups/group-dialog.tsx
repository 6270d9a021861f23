import { Textarea, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { createGroup, type Group, type Place, updateGroup } from '../../api/people.js';
import { text } from '../../text/en.js';
import { FormDialog } from '../../ui/dialogs/form-dialog.js';
import { notify } from '../../ui/feedback/notices.js';

const words = text.groups;

interface GroupDialogProps {
  place: Place;
  /** Null: a new one. */
  group: Group | null;
  onClose(): void;
}

/** Name and description of a group. */
export function GroupDialog({ place, group, onClose }: GroupDialogProps) {
  const client = useQueryClient();
  const [name, setName] = useState(group?.name ?? '');
  const [description, setDescription] = useState(group?.description ?? '');
  const submit = async () => {
    const values = { name, description };
    await (group ? updateGroup(place, group.id, values) : createGroup(place, values));
    void client.invalidateQueries({ queryKey: ['groups', place.accountId] });
    notify(group ? words.saved : words.created);
  };
  return (
    <FormDialog
      onClose={onClose}
      title={group ? words.editTitle : words.create}
      submit={group ? text.common.save : words.create}
      fields={['name', 'description']}
      onSubmit={submit}
    >
      {(problem) => (
        <>
          <TextInput
            label={words.name}
            required
            data-autofocus
            value={name}
            error={problem('name')}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Textarea
            label={words.description}
            autosize
            minRows={2}
            value={description}
            error={problem('description')}
            onChange={(event) => setDescription(event.currentTarget.value)}
          />
        </>
      )}
    </FormDialog>
  );
}
