import { FileButton, type FileButtonProps } from '@mantine/core';
import { useRef } from 'react';

interface FileChoiceProps extends Pick<FileButtonProps, 'accept' | 'inputProps' | 'children'> {
  onChoose(file: File): void;
}

/** A button by which a file is chosen. It forgets the file at once: browsers say nothing of one that is chosen a second time. */
export function FileChoice({ onChoose, ...button }: FileChoiceProps) {
  const forget = useRef<() => void>(null);
  const choose = (file: File | null) => {
    if (file) onChoose(file);
    forget.current?.();
  };
  return <FileButton {...button} resetRef={forget} onChange={choose} />;
}
