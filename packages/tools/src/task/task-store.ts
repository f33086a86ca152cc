import type { TaskGraph } from './task.ts'

/** Where the tasks of one loop are kept between builds. */
export interface TaskArchive {
  /** What was saved last; an empty graph when nothing was. */
  load(): Promise<TaskGraph>
  /** Keeps the graph, all of it or none. */
  save(graph: TaskGraph): Promise<void>
}

/** The tasks of one loop. */
export class TaskStore {
  #graph: TaskGraph
  readonly #archive: TaskArchive | undefined

  private constructor(graph: TaskGraph, archive: TaskArchive | undefined) {
    this.#graph = graph
    this.#archive = archive
  }

  static async open(archive?: TaskArchive): Promise<TaskStore> {
    return new TaskStore((await archive?.load()) ?? new Map(), archive)
  }

  get graph(): TaskGraph {
    return this.#graph
  }

  /** Replaces the graph once it is saved. The task tools are sequential, so that nobody changes it meanwhile. */
  async change(make: (graph: TaskGraph) => TaskGraph): Promise<TaskGraph> {
    const graph = make(this.#graph)
    await this.#archive?.save(graph)
    this.#graph = graph
    return graph
  }
}
