import { ActionIcon, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ChannelPlace } from '../../api/inbox.js';
import { uploadExample } from '../../api/templates.js';
import { text } from '../../text/en.js';
import { Icon } from '../../ui/basics/icons.js';
import { notifyError } from '../../ui/feedback/notices.js';
import { FileChoice } from '../../ui/forms/file-choice.js';

const words = text.templates;
const ACCEPT: Readonly<Record<string, string>> = {
  IMAGE: 'image/jpeg,image/png',
  VIDEO: 'video/mp4',
  DOCUMENT: 'application/pdf',
};

interface ExampleFieldProps {
  place: ChannelPlace;
  /** How it is called. */
  label: string;
  /** `IMAGE`, `VIDEO` or `DOCUMENT`. */
  format: string;
  value: string;
  error: string | undefined;
  onLeft(): void;
  /** @param picture what of it may be shown here; null where that is nothing */
  onChange(value: string, picture: string | null): void;
}

/** The file that shows the reviewer what a header will look like: by its link, or from this device. */
export function ExampleField({ place, label, format, value, error, onLeft, onChange }: ExampleFieldProps) {
  const upload = useMutation({
    mutationFn: async (file: File) => {
      const url = await dataUrlOf(file);
      const { handle } = await uploadExample(place.accountId, place.channelId, url.slice(url.indexOf(',') + 1));
      return { handle, picture: file.type.startsWith('image/') ? url : null };
    },
    onSuccess: ({ handle, picture }) => onChange(handle, picture),
    onError: notifyError,
  });
  const choose = (
    <FileChoice accept={ACCEPT[format] ?? ''} onChoose={(file) => upload.mutate(file)}>
      {(props) => (
        <ActionIcon
          {...props}
          variant="subtle"
          loading={upload.isPending}
          title={words.upload}
          aria-label={words.uploadOf(label)}
        >
          <Icon name="upload" />
        </ActionIcon>
      )}
    </FileChoice>
  );
  return (
    <TextInput
      label={label}
      description={words.exampleFileHint}
      placeholder="https://example.com/example"
      inputMode="url"
      value={value}
      error={error}
      rightSection={choose}
      onBlur={onLeft}
      onChange={({ currentTarget }) => onChange(currentTarget.value, null)}
    />
  );
}

function dataUrlOf(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}
