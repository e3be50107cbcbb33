import styles from './list.module.css'

interface OpenRowButtonProps {
  name: string
  onOpen: () => void
}

/** The button of an openable row that looks like the name of what it opens; long names are cut. */
export function OpenRowButton({ name, onOpen }: OpenRowButtonProps) {
  return (
    <button type="button" className={styles.opener} title={name} aria-haspopup="dialog" data-opens-row onClick={onOpen}>
      {name}
    </button>
  )
}
