import type { Task } from '@watchline/contracts/assignments'

/** The words of the person who assigned the task: `Note from Supervisor One: “Before Friday.”` */
export function TaskNote({ task: { note, assigned_by }, className }: { task: Task; className?: string | undefined }) {
  if (!note) return null
  return (
    <p className={className}>
      Note{assigned_by ? ` from ${assigned_by.name}` : ''}: “{note}”
    </p>
  )
}
