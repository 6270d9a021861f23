import { ActionIcon, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ChannelRef } from '../../api/channel-ref.js';
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
  channelRef: ChannelRef;
  label: string;
  format: string;
  value: string;
  error: string | undefined;
  onFieldBlur(): void;
  /** @param picture data URL for the preview, or null if the file is not an image or only a link was entered */
  onChange(value: string, picture: string | null): void;
}

export function ExampleField({ channelRef, label, format, value, error, onFieldBlur, onChange }: ExampleFieldProps) {
  const upload = useMutation({
    mutationFn: async (file: File) => {
      const url = await readAsDataUrl(file);
      const { handle } = await uploadExample(
        channelRef.accountId,
        channelRef.channelId,
        url.slice(url.indexOf(',') + 1),
      );
      return { handle, picture: file.type.startsWith('image/') ? url : null };
    },
    onSuccess: ({ handle, picture }) => onChange(handle, picture),
    onError: notifyError,
  });
  const uploadButton = (
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
      rightSection={uploadButton}
      onBlur={onFieldBlur}
      onChange={({ currentTarget }) => onChange(currentTarget.value, null)}
    />
  );
}

function readAsDataUrl(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}
