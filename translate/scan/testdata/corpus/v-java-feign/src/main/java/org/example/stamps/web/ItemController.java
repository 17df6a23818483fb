package org.example.stamps.web;

import org.springframework.web.bind.annotation.*;

@RestController
@RequestMapping("/item")
public class ItemController {
    @GetMapping("/auction/sold")
    public String sold() { return "ok"; }

    @DeleteMapping("/{id}")
    public void remove(@PathVariable long id) { }
}
