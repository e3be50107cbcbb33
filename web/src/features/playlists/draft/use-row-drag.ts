import { type DragEvent, useState } from 'react'

/** Props of a row that is dragged by its handle, and on which other rows can be dropped. */
export interface RowDrag {
  handle: { draggable: true; onDragStart: (event: DragEvent<HTMLElement>) => void; onDragEnd: () => void }
  target: { onDragOver: (event: DragEvent<HTMLElement>) => void; onDrop: (event: DragEvent<HTMLElement>) => void }
  /** The dragged row would come before or after this one. */
  dropPosition: 'before' | 'after' | undefined
}

/** Moves the rows of a list by dragging. Rows of other lists and files are ignored. */
export function useRowDrag(onMove: (fromIndex: number, toIndex: number) => void): (index: number) => RowDrag {
  const [dragged, setDragged] = useState<number>()
  const [over, setOver] = useState<number>()

  function endDrag() {
    setDragged(undefined)
    setOver(undefined)
  }

  return index => ({
    handle: {
      draggable: true,
      onDragStart: ({ dataTransfer, currentTarget }) => {
        // Firefox drags nothing without data.
        dataTransfer.setData('text/plain', '')
        dataTransfer.effectAllowed = 'move'
        const row = currentTarget.closest('li')
        if (row) dataTransfer.setDragImage(row, 0, 0)
        setDragged(index)
      },
      onDragEnd: endDrag,
    },
    target: {
      onDragOver: event => {
        if (dragged === undefined) return
        event.preventDefault()
        event.dataTransfer.dropEffect = 'move'
        if (over !== index) setOver(index)
      },
      onDrop: event => {
        if (dragged === undefined) return
        event.preventDefault()
        endDrag()
        if (dragged !== index) onMove(dragged, index)
      },
    },
    dropPosition:
      dragged === undefined || over !== index || dragged === index ? undefined : dropPositionOf(dragged, index),
  })
}

function dropPositionOf(fromIndex: number, toIndex: number): 'before' | 'after' {
  return fromIndex < toIndex ? 'after' : 'before'
}
