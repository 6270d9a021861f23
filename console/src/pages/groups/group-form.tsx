import { Stack, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { createGroup, type type Place, updateGroup } from '../../api/people.js';
import { problemsOf } from '../../api/request.js';
import { text } from '../../text/en.js';
import { DialogButtons } from '../../ui/dialog-buttons.js';
import { ErrorState } from '../../ui/error-state.js';
import { notify } from '../../ui/notices.js';

const words = text.groups;

interface GroupFormProps {
  place: Place;
  /** Null: a new one. */
  group: Group | null;
  onDone(): void;
}

/** Name and description of a group. */
export function GroupForm({ place, group, onDone }: GroupFormProps) {
  const client = useQueryClient();
  const form = useForm({ initialValues: { name: group?.name ?? '', description: group?.description ?? '' } });
  const save = useMutation({
    mutationFn: (values: typeof form.values) =>
      group ? updateGroup(place, group.id, values) : createGroup(place, values),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ['groups', place.accountId] });
      notify(group ? words.saved : words.created);
      onDone();
    },
    onError: (error) => form.setErrors(problemsOf(error)),
  });
  const isTold = Object.keys(problemsOf(save.error)).length > 0;
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate>
      <Stack>
        <TextInput label={words.name} required data-autofocus {...form.getInputProps('name')} />
        <Textarea label={words.description} autosize minRows={2} {...form.getInputProps('description')} />
        {save.error && !isTold && <ErrorState error={save.error} />}
        <DialogButtons onCancel={onDone} loading={save.isPending}>
          {group ? text.common.save : words.create}
        </DialogButtons>
      </Stack>
    </form>
  );
}
