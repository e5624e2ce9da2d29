package dev.roost.daemon.http;

import dev.roost.daemon.calls.Call;
import dev.roost.daemon.calls.Field;
import dev.roost.daemon.calls.Reply;
import java.io.IOException;
import java.util.List;

/** What one method does at one path, in which {@code {word}} stands for a value; and what it takes besides. */
record ApiRoute(String method, String path, List<Field> fields, Doing doing) {

    /** Answers a request. */
    interface Doing {
        void serve(ApiCall call) throws IOException, InterruptedException;
    }

    /** Has an answer. */
    interface Answering {
        Reply answer(ApiCall call) throws IOException, InterruptedException;
    }

    /** A call that the socket has, too, as far as its fields are not in the path; without those that are {@code left}. */
    static ApiRoute of(String method, String path, Call call, String... left) {
        var fields = call.fields().stream()
                .filter(field -> !path.contains("{%s}".formatted(field.name())))
                .filter(field -> !List.of(left).contains(field.name()))
                .toList();
        return of(method, path, fields, one -> call.answer(one.fields(), one.caller()));
    }

    static ApiRoute of(String method, String path, List<Field> fields, Answering answering) {
        return new ApiRoute(method, path, fields, call -> call.answer(200, answering.answer(call)));
    }

    List<String> parts() {
        return List.of(path.substring(1).split("/", -1));
    }
}
