import { Textarea, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { ChannelRef } from '../../api/channel-ref.js';
import { createGroup, type Group, updateGroup } from '../../api/people.js';
import { text } from '../../text/en.js';
import { FormDialog } from '../../ui/dialogs/form-dialog.js';
import { notify } from '../../ui/feedback/notices.js';
import { useFieldEdits } from '../../ui/forms/use-field-edits.js';

const words = text.groups;

interface GroupDialogProps {
  channelRef: ChannelRef;
  /** Group to edit, or null to create a group. */
  group: Group | null;
  onClose(): void;
}

export function GroupDialog({ channelRef, group, onClose }: GroupDialogProps) {
  const client = useQueryClient();
  const { values, changes, set } = useFieldEdits({ name: group?.name ?? '', description: group?.description ?? '' });
  const submit = async () => {
    await (group ? updateGroup(channelRef, group.id, changes) : createGroup(channelRef, values));
    void client.invalidateQueries({ queryKey: ['groups', channelRef.accountId] });
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
            value={values.name}
            error={problem('name')}
            onChange={(event) => set('name', event.currentTarget.value)}
          />
          <Textarea
            label={words.description}
            autosize
            minRows={2}
            value={values.description}
            error={problem('description')}
            onChange={(event) => set('description', event.currentTarget.value)}
          />
        </>
      )}
    </FormDialog>
  );
}
