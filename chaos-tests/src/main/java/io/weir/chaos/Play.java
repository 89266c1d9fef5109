package io.weir.chaos;

import java.util.List;

/** One run of a cluster, which makes one cell of the matrix or several. */
interface Play {

    /** What happens, in few words. */
    String name();

    /** Its cells, in the order in which they are judged. */
    List<String> cells();

    /**
     * Runs it.
     *
     * @param rig to run it on, if it can be run there
     */
    List<Judged> run(Rig rig);
}
