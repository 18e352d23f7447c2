/** Maps the time of one turn to the columns of its bars. */
export interface TimeScale {
  /** First column, and the one after the last; at least one column wide, within the scale. */
  cells(start: number, end: number): { readonly from: number; readonly to: number }
  /** The axis: a label where its moment is. */
  readonly axis: string
}

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
/** Distances of labels that are easy to count in. */
const handy = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((count) => count * second),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * minute),
  ...[1, 2, 6, 12].map((count) => count * hour),
]
/** Columns between two labels at the least. */
const apart = 11

export function timeScale(start: number, end: number, width: number): TimeScale {
  const total = Math.max(1, end - start)
  const column = (time: number) => Math.min(width, Math.max(0, ((time - start) / total) * width))
  return {
    cells(from, to) {
      const first = Math.min(width - 1, Math.floor(column(from)))
      return { from: first, to: Math.max(first + 1, Math.round(column(to))) }
    },
    axis: axisOf(total, width),
  }
}

function axisOf(total: number, width: number): string {
  const every = tick((total * apart) / width)
  let axis = "0"
  for (let at = every; at < total; at += every) {
    const label = moment(at)
    const column = Math.round((at / total) * width)
    if (column + label.length > width || column <= axis.length) break
    axis = axis.padEnd(column) + label
  }
  return axis
}

/** The smallest handy distance that is not below `least` ms. */
function tick(least: number): number {
  return handy.find((distance) => distance >= least) ?? Math.ceil(least / (24 * hour)) * 24 * hour
}

/** `250 ms`, `1.5 s`, `2 min`, `1:30 min`, `1 h 30 min` */
function moment(ms: number): string {
  if (ms < 1_000) return `${ms} ms`
  if (ms < minute) return `${ms / second} s`
  const minutes = Math.floor(ms / minute)
  const seconds = Math.round((ms % minute) / second)
  if (minutes < 60) return seconds === 0 ? `${minutes} min` : `${minutes}:${String(seconds).padStart(2, "0")} min`
  return `${Math.floor(minutes / 60)} h${minutes % 60 === 0 ? "" : ` ${minutes % 60} min`}`
}
