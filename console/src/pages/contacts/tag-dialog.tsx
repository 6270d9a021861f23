import { TagsInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { contactTagsQuery } from '../../api/account/contact-fields.js';
import type { ChannelRef } from '../../api/channel-ref.js';
import { type TagEdit, tagContacts } from '../../api/people.js';
import { text } from '../../text/en.js';
import { FormDialog } from '../../ui/dialogs/form-dialog.js';
import { notify } from '../../ui/feedback/notices.js';
import { formatNumber } from '../../ui/values/numbers.js';

const words = text.contacts;

interface TagDialogProps {
  channelRef: ChannelRef;
  /** The contacts, or the search that finds them. */
  target: Pick<TagEdit, 'contactIds' | 'found'>;
  onClose(): void;
  onDone(): Promise<void>;
}

export function TagDialog({ channelRef, target, onClose, onDone }: TagDialogProps) {
  const { data: knownTags = [] } = useQuery(contactTagsQuery(channelRef.accountId));
  const [add, setAdd] = useState<string[]>([]);
  const [remove, setRemove] = useState<string[]>([]);
  const submit = async () => {
    const { changed } = await tagContacts(channelRef, { ...target, add, remove });
    notify(words.tagged(formatNumber(changed)));
    await onDone();
  };
  return (
    <FormDialog
      onClose={onClose}
      title={words.tags}
      submit={text.common.save}
      fields={['add', 'remove']}
      onSubmit={submit}
    >
      {(problem) => (
        <>
          <TagsInput
            comboboxProps={{ withinPortal: false }}
            label={words.addTags}
            description={words.tagsHint}
            data={knownTags}
            value={add}
            onChange={setAdd}
            error={problem('add')}
            acceptValueOnBlur
          />
          <TagsInput
            comboboxProps={{ withinPortal: false }}
            label={words.removeTags}
            data={knownTags}
            value={remove}
            onChange={setRemove}
            error={problem('remove')}
            acceptValueOnBlur
          />
        </>
      )}
    </FormDialog>
  );
}
